import sys
from typing import Iterable

import anthropic
import checks as kit
import instructor
import openai
from checks import check, equal, failure, holds, model
from pydantic import BaseModel

package = sys.argv[1]
Mode = instructor.Mode


class Reading(BaseModel):
    """What a thermometer says."""

    city: str
    degrees: int


class get_weather(BaseModel):
    """The weather in a city."""

    city: str


def client(mode, key: str = kit.key, **more):
    if package == "openai":
        return instructor.from_openai(openai.OpenAI(base_url=f"{kit.url}/v1", api_key=key, **more), mode=mode)
    return instructor.from_anthropic(anthropic.Anthropic(base_url=kit.url, api_key=key, **more), mode=mode)


modes = (
    [Mode.TOOLS, Mode.TOOLS_STRICT, Mode.JSON, Mode.JSON_SCHEMA, Mode.MD_JSON]
    if package == "openai"
    else [Mode.ANTHROPIC_TOOLS, Mode.ANTHROPIC_JSON]
)
usual = modes[0]
reading = {"city": "Oslo", "degrees": 21}


def asking(what: str = "plain", text: str = kit.extraction) -> dict:
    return {"model": model(what), "max_tokens": 1000, "messages": [{"role": "user", "content": text}]}


kit.absent("text", "it always extracts")


@check
def structured():
    for mode in modes:
        equal(client(mode).create(response_model=Reading, **asking()).model_dump(), reading, str(mode))


@check
def stream():
    for mode in modes:
        partials = list(client(mode).create_partial(response_model=Reading, **asking()))
        equal(partials[-1].model_dump(), reading, str(mode))


@check
def tools():
    mode = Mode.PARALLEL_TOOLS if package == "openai" else Mode.ANTHROPIC_PARALLEL_TOOLS
    calls = list(client(mode).create(response_model=Iterable[get_weather], **asking(text=kit.weather_question)))
    equal(calls, [get_weather(city="Oslo"), get_weather(city="Rome")])


@check
def images():
    image = instructor.Image.from_base64(f"data:image/png;base64,{kit.png}")
    request = {**asking(), "messages": [{"role": "user", "content": [kit.extraction, image]}]}
    equal(client(usual).create(response_model=Reading, **request).model_dump(), reading)


@check
def errors():
    for asked, what, status in ((client(usual, key="tp_demo_wrong"), "plain", 401), (client(usual, max_retries=0), "failing-500", 503)):
        error = failure(lambda: asked.create(response_model=Reading, max_retries=0, **asking(what)))
        holds(f"{status}" in f"{error} {error.__cause__}", f"a {status}", error)


@check
def retries():
    for status in (429, 500):
        equal(client(usual).create(response_model=Reading, **asking(f"busy-{status}")).model_dump(), reading)


kit.absent("abort", "left to the SDK")
