import asyncio
import sys

import checks as kit
from checks import check, equal, failure, holds, model
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, NativeOutput
from pydantic_ai.exceptions import ModelHTTPError
import base64

package = sys.argv[1]


class Reading(BaseModel):
    """What a thermometer says."""

    city: str
    degrees: int


def chat(what: str = "plain", key: str = kit.key):
    if package == "openai":
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        return OpenAIChatModel(model(what), provider=OpenAIProvider(base_url=f"{kit.url}/v1", api_key=key))
    if package == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(model(what), provider=AnthropicProvider(base_url=kit.url, api_key=key))
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(model(what), provider=GoogleProvider(base_url=kit.url, api_key=key))


def get_weather(city: str) -> str:
    """The weather in a city."""
    return kit.weather_in(city)


@check
def text():
    result = Agent(chat()).run_sync(kit.hello)
    equal(result.output, kit.greeting)
    equal((result.usage.input_tokens, result.usage.output_tokens), (9, 4), "the usage")


async def pieces_of(agent: Agent, question: str) -> list[str]:
    async with agent.run_stream(question) as result:
        return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]


@check
def stream():
    pieces = asyncio.run(pieces_of(Agent(chat()), kit.hello))
    equal("".join(pieces), kit.greeting)
    holds(len(pieces) > 1, "several pieces", pieces)


@check
def tools():
    agent = Agent(chat(), tools=[get_weather])
    equal(agent.run_sync(kit.weather_question).output, kit.weather_answer)
    equal("".join(asyncio.run(pieces_of(agent, kit.weather_question))), kit.weather_answer, "the stream")


@check
def structured():
    # It knows native output only of Claude models.
    for output in [Reading] if package == "anthropic" else [Reading, NativeOutput(Reading)]:
        equal(Agent(chat(), output_type=output).run_sync(kit.extraction).output, Reading(city="Oslo", degrees=21))


@check
def images():
    image = BinaryContent(base64.b64decode(kit.png), media_type="image/png")
    equal(Agent(chat()).run_sync([kit.image_question, image]).output, kit.image_answer)


@check
def errors():
    for asked, status in ((chat(key="tp_demo_wrong"), 401), (chat("failing-429"), 429), (chat("failing-500"), 503)):
        error = failure(lambda: Agent(asked).run_sync(kit.hello))
        holds(isinstance(error, ModelHTTPError), "a ModelHTTPError", error)
        equal(error.status_code, status, "the status")
    failure(lambda: asyncio.run(pieces_of(Agent(chat("cut")), kit.hello)))


if package == "google":
    kit.absent("retries", "off by default")
else:

    @check
    def retries():
        for status in (429, 500):
            equal(Agent(chat(f"busy-{status}")).run_sync(kit.hello).output, kit.greeting)


async def leave():
    async with Agent(chat("slow")).run_stream(kit.hello) as result:
        async for _ in result.stream_text(delta=True, debounce_by=None):
            raise asyncio.CancelledError


@check
def abort():
    try:
        asyncio.run(leave())
    except asyncio.CancelledError:
        pass
