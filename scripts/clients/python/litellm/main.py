import json
import os
import sys

import checks as kit

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm
from checks import check, equal, failure, holds, model
from pydantic import BaseModel

package = sys.argv[1]
litellm.telemetry = False
weather = {"type": "function", "function": {"name": "get_weather", "description": "The weather in a city", "parameters": kit.weather_schema}}


class Reading(BaseModel):
    city: str
    degrees: int


def complete(content, what: str = "plain", **more):
    base = kit.url if package == "anthropic" else f"{kit.url}/v1"
    asked = {"model": f"{package}/{model(what)}", "api_base": base, "api_key": kit.key, "messages": [{"role": "user", "content": content}]}
    return litellm.completion(**{**asked, **more})


def text_of(completion) -> str:
    return completion.choices[0].message.content


@check
def text():
    completion = complete(kit.hello)
    equal(text_of(completion), kit.greeting)
    equal((completion.usage.prompt_tokens, completion.usage.completion_tokens), (9, 4), "the usage")


@check
def stream():
    pieces = [piece for chunk in complete(kit.hello, stream=True) if (piece := chunk.choices[0].delta.content)]
    equal("".join(pieces), kit.greeting)
    holds(len(pieces) > 1, "several pieces", pieces)


@check
def tools():
    question = {"role": "user", "content": kit.weather_question}
    for streamed in (False, True):
        asked = complete(kit.weather_question, tools=[weather], stream=streamed)
        if streamed:
            asked = litellm.stream_chunk_builder(list(asked))
        message = asked.choices[0].message
        calls = [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls]
        equal(calls, [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"})], "the calls")
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": kit.weather_in(json.loads(call.function.arguments)["city"])}
            for call in message.tool_calls
        ]
        equal(text_of(complete("", tools=[weather], messages=[question, message.model_dump(), *results])), kit.weather_answer)


@check
def structured():
    equal(Reading.model_validate_json(text_of(complete(kit.extraction, response_format=Reading))), Reading(city="Oslo", degrees=21))


@check
def images():
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{kit.png}"}}
    equal(text_of(complete([{"type": "text", "text": kit.image_question}, image])), kit.image_answer)


@check
def errors():
    for ask, kind in (
        (lambda: complete(kit.hello, api_key="tp_demo_wrong"), litellm.AuthenticationError),
        (lambda: complete(kit.hello, model=f"{package}/nowhere/m"), litellm.BadRequestError),
        (lambda: complete(kit.hello, "failing-429", max_retries=0), litellm.RateLimitError),
        (lambda: complete(kit.hello, "failing-500", max_retries=0), litellm.ServiceUnavailableError),
    ):
        error = failure(ask)
        holds(isinstance(error, kind), kind.__name__, error)
    failure(lambda: list(complete(kit.hello, "cut", stream=True)))


@check
def retries():
    for status in (429, 500):
        equal(text_of(complete(kit.hello, f"busy-{status}", num_retries=2)), kit.greeting)


@check
def abort():
    stream = complete(kit.hello, "slow", stream=True)
    next(chunk for chunk in stream if chunk.choices[0].delta.content)
    getattr(stream.completion_stream, "close", lambda: None)()


if package == "openai" and kit.vendor != "by-messages":

    @check
    def embeddings():
        made = litellm.embedding(model=f"openai/{model('embedding')}", input=["one", "another"], api_base=f"{kit.url}/v1", api_key=kit.key)
        equal([len(each["embedding"]) for each in made.data], [4, 4])
