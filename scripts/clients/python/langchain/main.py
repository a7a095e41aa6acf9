import sys

import checks as kit
from checks import check, equal, failure, holds, model
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel

package = sys.argv[1]


class Reading(BaseModel):
    """What a thermometer says."""

    city: str
    degrees: int


@tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return kit.weather_in(city)


def chat(what: str = "plain", key: str = kit.key, **more):
    if package == "openai":
        from langchain_openai import ChatOpenAI

        return ChatOpenAI(model=model(what), base_url=f"{kit.url}/v1", api_key=key, **more)
    if package == "anthropic":
        from langchain_anthropic import ChatAnthropic

        return ChatAnthropic(model=model(what), base_url=kit.url, api_key=key, **more)
    from langchain_google_genai import ChatGoogleGenerativeAI

    return ChatGoogleGenerativeAI(model=model(what), base_url=kit.url, api_key=key, **more)


@check
def text():
    message = chat().invoke(kit.hello)
    equal(message.text, kit.greeting)
    equal((message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"]), (9, 4), "the usage")


@check
def stream():
    # With an address of one's own, it asks for usage only if told to.
    chunks = list(chat(**({"stream_usage": True} if package == "openai" else {})).stream(kit.hello))
    pieces = [chunk.text for chunk in chunks if chunk.text]
    equal("".join(pieces), kit.greeting)
    holds(len(pieces) > 1, "several pieces", pieces)
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    equal((whole.usage_metadata["input_tokens"], whole.usage_metadata["output_tokens"]), (9, 4), "the usage")


@check
def tools():
    question = HumanMessage(kit.weather_question)
    bound = chat().bind_tools([get_weather])
    for streamed in (False, True):
        if streamed:
            asked, *chunks = bound.stream([question])
            for chunk in chunks:
                asked += chunk
        else:
            asked = bound.invoke([question])
        equal([(call["name"], call["args"]) for call in asked.tool_calls], [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"})])
        results = [ToolMessage(kit.weather_in(call["args"]["city"]), tool_call_id=call["id"]) for call in asked.tool_calls]
        equal(bound.invoke([question, asked, *results]).text, kit.weather_answer)
    agent = create_agent(chat(), tools=[get_weather])
    equal(agent.invoke({"messages": [question]})["messages"][-1].text, kit.weather_answer, "the agent's answer")
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [bound.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([get_weather]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    equal(graph.compile().invoke({"messages": [question]})["messages"][-1].text, kit.weather_answer, "the graph's answer")


@check
def structured():
    equal(chat().with_structured_output(Reading).invoke(kit.extraction), Reading(city="Oslo", degrees=21))
    agent = create_agent(chat(), response_format=Reading)
    equal(agent.invoke({"messages": [HumanMessage(kit.extraction)]})["structured_response"], Reading(city="Oslo", degrees=21), "the agent's answer")


@check
def images():
    image = {"type": "image", "base64": kit.png, "mime_type": "image/png"}
    equal(chat().invoke([HumanMessage(content=[{"type": "text", "text": kit.image_question}, image])]).text, kit.image_answer)


def status_of(error) -> int:
    while error is not None:
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        if isinstance(status, int):
            return status
        error = error.__cause__
    return 0


@check
def errors():
    for asked, status in (
        (chat(key="tp_demo_wrong", max_retries=1), 401),
        (chat("failing-429", max_retries=1 if package == "google" else 0), 429),
        (chat("failing-500", max_retries=1 if package == "google" else 0), 503),
    ):
        error = failure(lambda: asked.invoke(kit.hello))
        equal(status_of(error), status, f"the status of {error!r}")
    failure(lambda: list(chat("cut", max_retries=1).stream(kit.hello)))


@check
def retries():
    for status in (429, 500):
        equal(chat(f"busy-{status}").invoke(kit.hello).text, kit.greeting)


@check
def abort():
    stream = chat("slow").stream(kit.hello)
    next(chunk for chunk in stream if chunk.text)
    stream.close()


if package == "openai" and kit.vendor != "by-messages":

    @check
    def embeddings():
        from langchain_openai import OpenAIEmbeddings

        # By default it sends lists of tokens, for which it needs a vocabulary from the network.
        client = OpenAIEmbeddings(model=model("embedding"), base_url=f"{kit.url}/v1", api_key=kit.key, check_embedding_ctx_length=False)
        equal([len(vector) for vector in client.embed_documents(["one", "another"])], [4, 4])
