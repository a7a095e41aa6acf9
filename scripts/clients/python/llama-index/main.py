import asyncio
import base64
import os
import sys

import checks as kit
from checks import check, equal, failure, holds, model
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel

package = sys.argv[1]


class Reading(BaseModel):
    """What a thermometer says."""

    city: str
    degrees: int


def get_weather(city: str) -> str:
    """The weather in a city."""
    return kit.weather_in(city)


tool = FunctionTool.from_defaults(get_weather)


def llm(what: str = "plain", key: str = kit.key, **more):
    if package == "openai" and what == "plain":
        from llama_index.llms.openai import OpenAI

        # It takes only names that it knows.
        return OpenAI(model=os.environ["TURNPIKE_GPT"], api_base=f"{kit.url}/v1", api_key=key, **more)
    if package == "openai":
        from llama_index.llms.openai_like import OpenAILike

        settings = {"is_chat_model": True, "is_function_calling_model": True, "should_use_structured_outputs": True}
        return OpenAILike(model=model(what), api_base=f"{kit.url}/v1", api_key=key, **settings, **more)
    from llama_index.llms.anthropic import Anthropic

    return Anthropic(model=os.environ["TURNPIKE_CLAUDE"], base_url=kit.url, api_key=key, **more)


@check
def text():
    equal(llm().complete(kit.hello).text, kit.greeting)
    equal(llm().chat([ChatMessage(kit.hello)]).message.content, kit.greeting)


@check
def stream():
    pieces = [chunk.delta for chunk in llm().stream_chat([ChatMessage(kit.hello)]) if chunk.delta]
    equal("".join(pieces), kit.greeting)
    holds(len(pieces) > 1, "several pieces", pieces)


@check
def tools():
    asked = llm().chat_with_tools([tool], user_msg=kit.weather_question, allow_parallel_tool_calls=True)
    calls = [(call.tool_name, call.tool_kwargs) for call in llm().get_tool_calls_from_response(asked)]
    equal(calls, [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"})], "the calls")

    async def run():
        return str(await FunctionAgent(tools=[tool], llm=llm()).run(user_msg=kit.weather_question))

    equal(asyncio.run(run()), kit.weather_answer)


@check
def structured():
    equal(llm().as_structured_llm(Reading).complete(kit.extraction).raw, Reading(city="Oslo", degrees=21))


@check
def images():
    blocks = [TextBlock(text=kit.image_question), ImageBlock(image=base64.b64decode(kit.png), image_mimetype="image/png")]
    equal(llm().chat([ChatMessage(role="user", blocks=blocks)]).message.content, kit.image_answer)


if package == "anthropic":
    for name in ("errors", "retries", "abort"):
        kit.absent(name, "it takes only names of Claude models, which the scripted vendor does not fail")
else:

    @check
    def errors():
        for asked, status in (
            (llm(key="tp_demo_wrong", max_retries=0), 401),
            (llm("failing-429", max_retries=0), 429),
            (llm("failing-500", max_retries=0), 503),
        ):
            error = failure(lambda: asked.complete(kit.hello))
            equal(getattr(error, "status_code", None), status, f"the status of {error!r}")
        failure(lambda: list(llm("cut", max_retries=0).stream_complete(kit.hello)))


    @check
    def retries():
        for status in (429, 500):
            equal(llm(f"busy-{status}").complete(kit.hello).text, kit.greeting)


    @check
    def abort():
        stream = llm("slow").stream_complete(kit.hello)
        next(chunk for chunk in stream if chunk.delta)
        stream.close()


if package == "openai" and kit.vendor != "by-messages":

    @check
    def embeddings():
        from llama_index.embeddings.openai import OpenAIEmbedding

        client = OpenAIEmbedding(model_name=model("embedding"), api_base=f"{kit.url}/v1", api_key=kit.key)
        equal([len(vector) for vector in client.get_text_embedding_batch(["one", "another"])], [4, 4])
