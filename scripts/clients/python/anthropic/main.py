import anthropic
import checks as kit
from anthropic import Anthropic
from checks import check, equal, failure, holds, model
from pydantic import BaseModel

client = Anthropic(api_key=kit.key, base_url=kit.url)
once = client.with_options(max_retries=0)
weather = {"name": "get_weather", "description": "The weather in a city", "input_schema": kit.weather_schema}


class Reading(BaseModel):
    city: str
    degrees: int


def asking(content, what: str = "plain") -> dict:
    return {"model": model(what), "max_tokens": 1000, "messages": [{"role": "user", "content": content}]}


def text_of(message) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def streamed(request: dict, asked: Anthropic = client):
    with asked.messages.stream(**request) as stream:
        return stream.get_final_message()


@check
def text():
    message = client.messages.create(**asking(kit.hello))
    equal(text_of(message), kit.greeting)
    equal((message.usage.input_tokens, message.usage.output_tokens), (9, 4), "the usage")
    holds(client.messages.count_tokens(model=model(), messages=asking(kit.hello)["messages"]).input_tokens > 0, "a count", 0)


@check
def stream():
    with client.messages.stream(**asking(kit.hello)) as stream:
        pieces = list(stream.text_stream)
        message = stream.get_final_message()
    equal("".join(pieces), kit.greeting)
    holds(len(pieces) > 1, "several pieces", pieces)
    equal((message.usage.input_tokens, message.usage.output_tokens), (9, 4), "the usage")


@check
def tools():
    for ask in (lambda request: client.messages.create(**request), streamed):
        request = {**asking(kit.weather_question), "tools": [weather]}
        asked = ask(request)
        equal(asked.stop_reason, "tool_use", "the stop reason")
        calls = [block for block in asked.content if block.type == "tool_use"]
        equal([(call.name, call.input) for call in calls], [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"})], "the calls")
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": kit.weather_in(call.input["city"])} for call in calls]
        turns = [*request["messages"], {"role": "assistant", "content": asked.content}, {"role": "user", "content": results}]
        equal(text_of(ask({**request, "messages": turns})), kit.weather_answer)


@check
def structured():
    message = client.messages.parse(**asking(kit.extraction), output_format=Reading)
    equal(message.parsed_output, Reading(city="Oslo", degrees=21))


@check
def images():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": kit.png}}
    message = client.messages.create(**asking([image, {"type": "text", "text": kit.image_question}]))
    equal(text_of(message), kit.image_answer)


@check
def errors():
    stranger = Anthropic(api_key="tp_demo_wrong", base_url=kit.url)
    for ask, kind, status in (
        (lambda: stranger.messages.create(**asking(kit.hello)), anthropic.AuthenticationError, 401),
        (lambda: client.messages.create(**{**asking(kit.hello), "model": "nowhere/m"}), anthropic.BadRequestError, 400),
        (lambda: once.messages.create(**asking(kit.hello, "failing-429")), anthropic.RateLimitError, 429),
        (lambda: once.messages.create(**asking(kit.hello, "failing-500")), anthropic.InternalServerError, 503),
        (lambda: once.messages.create(**asking(kit.hello, "failing-529")), anthropic.InternalServerError, 529),
        (lambda: streamed(asking(kit.hello, "failing-500"), once), anthropic.InternalServerError, 503),
    ):
        error = failure(ask)
        holds(isinstance(error, kind), kind.__name__, error)
        equal(error.status_code, status, "the status")
        holds(error.request_id.startswith("req_"), "an id", error.request_id)
    cut = failure(lambda: streamed(asking(kit.hello, "cut"), once))
    holds(isinstance(cut, anthropic.APIError), "an APIError", cut)


@check
def retries():
    for status in (429, 500, 529):
        equal(text_of(client.messages.create(**asking(kit.hello, f"busy-{status}"))), kit.greeting)
    equal(text_of(streamed(asking(kit.hello, "busy-503"))), kit.greeting)


@check
def abort():
    with client.messages.stream(**asking(kit.hello, "slow")) as stream:
        next(iter(stream.text_stream))
