import json

import checks as kit
import openai
from checks import check, equal, failure, holds, model
from openai import OpenAI
from pydantic import BaseModel

client = OpenAI(api_key=kit.key, base_url=f"{kit.url}/v1")
once = client.with_options(max_retries=0)
create = client.chat.completions.create
weather = {
    "type": "function",
    "function": {"name": "get_weather", "description": "The weather in a city", "strict": True, "parameters": kit.weather_schema},
}


class Reading(BaseModel):
    city: str
    degrees: int


def asking(content, what: str = "plain") -> dict:
    return {"model": model(what), "messages": [{"role": "user", "content": content}]}


def text_of(completion) -> str:
    return completion.choices[0].message.content


def streamed(request: dict, asked: OpenAI = client):
    with asked.chat.completions.stream(**request) as stream:
        return stream.get_final_completion()


@check
def text():
    completion = create(**asking(kit.hello))
    equal(text_of(completion), kit.greeting)
    equal(completion.choices[0].finish_reason, "stop", "the finish reason")
    equal((completion.usage.prompt_tokens, completion.usage.completion_tokens), (9, 4), "the usage")


@check
def stream():
    chunks = list(create(**asking(kit.hello), stream=True, stream_options={"include_usage": True}))
    pieces = [piece for chunk in chunks if chunk.choices and (piece := chunk.choices[0].delta.content)]
    equal("".join(pieces), kit.greeting)
    holds(len(pieces) > 1, "several pieces", pieces)
    equal((chunks[-1].choices, chunks[-1].usage.total_tokens), ([], 13), "the last chunk")
    equal(text_of(streamed(asking(kit.hello))), kit.greeting)


@check
def tools():
    for ask in (lambda request: create(**request), streamed):
        request = {**asking(kit.weather_question), "tools": [weather]}
        choice = ask(request).choices[0]
        equal(choice.finish_reason, "tool_calls", "the finish reason")
        calls = [(call.function.name, json.loads(call.function.arguments)) for call in choice.message.tool_calls]
        equal(calls, [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"})], "the calls")
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": kit.weather_in(json.loads(call.function.arguments)["city"])}
            for call in choice.message.tool_calls
        ]
        message = choice.message.to_dict()
        equal(text_of(ask({**request, "messages": [*request["messages"], message, *results]})), kit.weather_answer)


@check
def structured():
    completion = client.chat.completions.parse(**asking(kit.extraction), response_format=Reading)
    equal(completion.choices[0].message.parsed, Reading(city="Oslo", degrees=21))


@check
def images():
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{kit.png}"}}
    equal(text_of(create(**asking([{"type": "text", "text": kit.image_question}, image]))), kit.image_answer)


@check
def errors():
    stranger = OpenAI(api_key="tp_demo_wrong", base_url=f"{kit.url}/v1")
    for ask, kind, status in (
        (lambda: stranger.chat.completions.create(**asking(kit.hello)), openai.AuthenticationError, 401),
        (lambda: create(**{**asking(kit.hello), "model": "nowhere/m"}), openai.BadRequestError, 400),
        (lambda: once.chat.completions.create(**asking(kit.hello, "failing-429")), openai.RateLimitError, 429),
        (lambda: once.chat.completions.create(**asking(kit.hello, "failing-500")), openai.InternalServerError, 503),
        (lambda: streamed(asking(kit.hello, "failing-500"), once), openai.InternalServerError, 503),
    ):
        error = failure(ask)
        holds(isinstance(error, kind), kind.__name__, error)
        equal(error.status_code, status, "the status")
        holds(error.request_id.startswith("req_"), "an id", error.request_id)
    cut = failure(lambda: streamed(asking(kit.hello, "cut"), once))
    holds(isinstance(cut, openai.APIError), "an APIError", cut)


@check
def retries():
    for status in (429, 500):
        equal(text_of(create(**asking(kit.hello, f"busy-{status}"))), kit.greeting)
    equal(text_of(streamed(asking(kit.hello, "busy-503"))), kit.greeting)


@check
def abort():
    with create(**asking(kit.hello, "slow"), stream=True) as stream:
        next(chunk for chunk in stream if chunk.choices and chunk.choices[0].delta.content)


@check
def embeddings():
    if kit.vendor != "by-messages":
        made = client.embeddings.create(model=model("embedding"), input=["one", "another"])
        equal([(len(each.embedding), each.index) for each in made.data], [(4, 0), (4, 1)])


@check
def decisions():
    for name in ("openai/gpt-6-luna", "sandbox/dm"):
        decision = client.decisions.create(
            model=name,
            input="Where is my money?",
            questions=[
                {"type": "predicate", "name": "angry", "instructions": "The writer is angry."},
                {"type": "choice", "instructions": "Is it paid?", "choices": [{"value": True}, {"value": "true"}, {"value": "unclear"}]},
                {"type": "score", "instructions": "How urgent?", "levels": [{"label": "can wait"}, {"label": "today"}]},
            ],
        )
        equal([answer.type for answer in decision.answers], ["predicate", "choice", "score"])
        equal(decision.usage.total_tokens, decision.usage.input_tokens + decision.usage.output_tokens, "the usage")
