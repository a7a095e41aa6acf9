import asyncio
import os

import checks as kit
import openai
from agents import (
    Agent,
    HostedMCPTool,
    ModelSettings,
    OpenAIConversationsSession,
    OpenAIProvider,
    OpenAIResponsesCompactionSession,
    RunConfig,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from checks import check, equal, failure, holds, model
from openai import AsyncOpenAI
from pydantic import BaseModel

# It would send traces to its own vendor.
set_tracing_disabled(True)

client = AsyncOpenAI(api_key=kit.key, base_url=f"{kit.url}/v1")
once = client.with_options(max_retries=0)
gpt = os.environ["TURNPIKE_GPT"]
loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)


class Reading(BaseModel):
    city: str
    degrees: int


@function_tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return kit.weather_in(city)


def by(asked: AsyncOpenAI) -> RunConfig:
    """Names of models go to the gateway as they are: the SDK's default provider would read what is before a slash."""
    return RunConfig(model_provider=OpenAIProvider(openai_client=asked))


over_http = by(client)


def agent(what: str = "plain", **more) -> Agent:
    return Agent(**{"name": "Helper", "model": model(what), **more})


def run(starting: Agent, given, config: RunConfig = over_http, **options):
    return loop.run_until_complete(Runner.run(starting, given, run_config=config, **options))


def streamed(starting: Agent, given, config: RunConfig = over_http, **options):
    """The run, and the pieces of its text."""

    async def follow():
        going = Runner.run_streamed(starting, given, run_config=config, **options)
        events = [event.data async for event in going.stream_events() if event.type == "raw_response_event"]
        return going, [data.delta for data in events if data.type == "response.output_text.delta"]

    return loop.run_until_complete(follow())


def recalls(session, config: RunConfig = over_http, **more) -> None:
    """Two runs that share only a session."""
    equal(run(agent(**more), kit.secret, config, session=session).final_output, kit.greeting)
    equal(run(agent(**more), kit.secret_question, config, session=session).final_output, kit.secret_answer, "what it remembers")


def wait(coroutine):
    return loop.run_until_complete(coroutine)


@check
def text():
    said = run(agent(), kit.hello)
    equal(said.final_output, kit.greeting)
    usage = said.context_wrapper.usage
    equal((usage.input_tokens, usage.output_tokens), (9, 4), "the usage")


@check
def stream():
    going, pieces = streamed(agent(), kit.hello)
    equal(going.final_output, kit.greeting)
    holds(len(pieces) > 1, "several pieces", pieces)


@check
def tools():
    equal(run(agent(tools=[get_weather]), kit.weather_question).final_output, kit.weather_answer)
    equal(streamed(agent(tools=[get_weather]), kit.weather_question)[0].final_output, kit.weather_answer, "the streamed answer")


@check
def structured():
    equal(run(agent(output_type=Reading), kit.extraction).final_output, Reading(city="Oslo", degrees=21))


@check
def images():
    image = {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{kit.png}"}
    content = [{"type": "input_text", "text": kit.image_question}, image]
    equal(run(agent(), [{"role": "user", "content": content}]).final_output, kit.image_answer)


@check
def errors():
    for what, status in (("failing-429", 429), ("failing-500", 424)):
        error = failure(lambda: run(agent(what), kit.hello, by(once)))
        holds(isinstance(error, openai.APIStatusError), "an APIStatusError", error)
        equal(error.status_code, status, "the status")
    failure(lambda: streamed(agent("cut"), kit.hello, by(once)))


@check
def handoffs():
    for streams in (False, True):
        desk = agent(name="Desk", handoffs=[agent(name="Clerk", handoff_description="Knows the papers.")])
        ended = streamed(desk, kit.pass_on)[0] if streams else run(desk, kit.pass_on)
        equal(ended.last_agent.name, "Clerk", "the last agent")
        told = run(ended.last_agent, [*ended.to_input_list(), {"role": "user", "content": kit.secret}])
        holds("Clerk" in told.final_output, "the output of the handoff", told.final_output)


@check
def sessions():
    recalls(SQLiteSession("one"))
    recalls(SQLiteSession("two"), tools=[get_weather])
    first = run(agent(), kit.secret)
    then = run(agent(), kit.secret_question, previous_response_id=first.last_response_id)
    equal(then.final_output, kit.secret_answer, "what it remembers by the id of a response")
    one, other = (run(agent(), said, auto_previous_response_id=True) for said in (kit.hello, kit.hello))
    equal((one.final_output, other.final_output), (kit.greeting, kit.greeting))


@check
def conversations():
    session = OpenAIConversationsSession(openai_client=client)
    recalls(session)
    equal(len(wait(session.get_items())), 4, "the number of items")
    wait(session.pop_item())
    equal(len(wait(session.get_items())), 3, "the number of items")
    wait(session.clear_session())

    conversation = wait(client.conversations.create()).id
    run(agent(), kit.secret, conversation_id=conversation)
    equal(streamed(agent(), kit.secret_question, conversation_id=conversation)[0].final_output, kit.secret_answer, "what it remembers")
    items = wait(client.conversations.items.list(conversation, order="asc"))
    equal([item.role for item in items.data], ["user", "assistant", "user", "assistant"], "the items")


@check
def compaction():
    for mode in ("input", "previous_response_id"):
        kept = SQLiteSession(mode)
        session = OpenAIResponsesCompactionSession(
            mode, kept, client=client, model=gpt, compaction_mode=mode, should_trigger_compaction=lambda _: True
        )
        recalls(session, model=gpt)
        types = [item.get("type") for item in wait(kept.get_items())]
        holds("compaction" in types, "a compaction", types)


@check
def mcp():
    config = {"type": "mcp", "server_label": "forecasts", "server_url": os.environ["TURNPIKE_MCP"], "require_approval": "never"}
    hosted = HostedMCPTool(tool_config=config)
    for ended in (run(agent(tools=[hosted]), kit.weather_question), streamed(agent(tools=[hosted]), kit.weather_question)[0]):
        for city in ("Oslo", "Rome"):
            holds(kit.weather_in(city) in ended.final_output, f"the weather in {city}", ended.final_output)
    approved = []

    def approve(request):
        approved.append(request.data.name)
        return {"approve": True}

    asking = HostedMCPTool(tool_config={**config, "require_approval": "always"}, on_approval_request=approve)
    told = run(agent(tools=[asking]), kit.weather_question)
    holds(kit.weather_in("Oslo") in told.final_output, "the weather in Oslo", told.final_output)
    holds(len(approved) > 0, "calls to approve", approved)


@check
def websocket():
    provider = OpenAIProvider(
        api_key=kit.key,
        base_url=f"{kit.url}/v1",
        websocket_base_url=f"{kit.url.replace('http', 'ws')}/v1",
        use_responses_websocket=True,
    )
    config = RunConfig(model_provider=provider)
    equal(run(agent(), kit.hello, config).final_output, kit.greeting)
    equal(streamed(agent(tools=[get_weather]), kit.weather_question, config)[0].final_output, kit.weather_answer)
    recalls(SQLiteSession("three"), config)
    unstored = ModelSettings(store=False)
    first = run(agent(model_settings=unstored), kit.secret, config)
    then = run(agent(model_settings=unstored), kit.secret_question, config, previous_response_id=first.last_response_id)
    equal(then.final_output, kit.secret_answer, "what the connection remembers")
    wait(provider.aclose())
