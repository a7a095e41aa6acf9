import base64

import checks as kit
from checks import check, equal, failure, holds, model
from google import genai
from google.genai import errors as api_errors
from google.genai import types
from pydantic import BaseModel


class Reading(BaseModel):
    city: str
    degrees: int


def client(key: str = kit.key, retries: int | None = None):
    retry_options = types.HttpRetryOptions(attempts=retries, initial_delay=0.1) if retries else None
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=kit.url, retry_options=retry_options))


# Its methods work only while the client itself is there.
shared = client()
ask = shared.models.generate_content


def asking(contents, what: str = "plain", **config) -> dict:
    return {"model": model(what), "contents": contents, **({"config": types.GenerateContentConfig(**config)} if config else {})}


def get_weather(city: str) -> str:
    """The weather in a city."""
    return kit.weather_in(city)


@check
def text():
    reply = ask(**asking(kit.hello))
    equal(reply.text, kit.greeting)
    equal((reply.usage_metadata.prompt_token_count, reply.usage_metadata.candidates_token_count), (9, 4), "the usage")
    holds(shared.models.count_tokens(model=model(), contents=kit.hello).total_tokens > 0, "a count", 0)


@check
def stream():
    chunks = list(shared.models.generate_content_stream(**asking(kit.hello)))
    pieces = [chunk.text for chunk in chunks if chunk.text]
    equal("".join(pieces), kit.greeting)
    holds(len(pieces) > 1, "several pieces", pieces)
    equal(chunks[-1].usage_metadata.prompt_token_count, 9, "the usage")


@check
def tools():
    equal(ask(**asking(kit.weather_question, tools=[get_weather])).text, kit.weather_answer, "the answer of its own loop")
    declaration = types.FunctionDeclaration(name="get_weather", description="The weather", parameters_json_schema=kit.weather_schema)
    config = {"tools": [types.Tool(function_declarations=[declaration])]}
    question = types.UserContent(kit.weather_question)
    for streamed in (False, True):
        if streamed:
            chunks = shared.models.generate_content_stream(**asking([question], **config))
            parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts or []]
        else:
            parts = ask(**asking([question], **config)).candidates[0].content.parts
        calls = [part.function_call for part in parts if part.function_call]
        equal([(call.name, call.args) for call in calls], [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"})], "the calls")
        results = [
            types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response={"result": kit.weather_in(call.args["city"])}))
            for call in calls
        ]
        turns = [question, types.ModelContent(parts), types.UserContent(results)]
        equal(ask(**asking(turns, **config)).text, kit.weather_answer)


@check
def structured():
    for schema in ({"response_schema": Reading}, {"response_json_schema": kit.extraction_schema}):
        reply = ask(**asking(kit.extraction, response_mime_type="application/json", **schema))
        equal(Reading.model_validate_json(reply.text), Reading(city="Oslo", degrees=21))


@check
def images():
    image = types.Part.from_bytes(data=base64.b64decode(kit.png), mime_type="image/png")
    equal(ask(**asking([kit.image_question, image])).text, kit.image_answer)


@check
def errors():
    stranger = client("tp_demo_wrong")
    for run, kind, codes in (
        (lambda: stranger.models.generate_content(**asking(kit.hello)), api_errors.ClientError, (401,)),
        (lambda: ask(**{**asking(kit.hello), "model": "nowhere/m"}), api_errors.ClientError, (400, 404)),
        (lambda: ask(**asking(kit.hello, "failing-429")), api_errors.ClientError, (429,)),
        (lambda: ask(**asking(kit.hello, "failing-500")), api_errors.ServerError, (503,)),
    ):
        error = failure(run)
        holds(isinstance(error, kind), kind.__name__, error)
        holds(error.code in codes, f"one of {codes}", error.code)
        holds(error.message, "a message", error)
    failure(lambda: list(shared.models.generate_content_stream(**asking(kit.hello, "cut"))))


@check
def retries():
    patient = client(retries=3)
    for status in (429, 500):
        equal(patient.models.generate_content(**asking(kit.hello, f"busy-{status}")).text, kit.greeting)


@check
def abort():
    stream = shared.models.generate_content_stream(**asking(kit.hello, "slow"))
    next(chunk for chunk in stream if chunk.text)
    stream.close()


if kit.vendor != "by-messages":

    @check
    def embeddings():
        made = shared.models.embed_content(model=model("embedding"), contents=["one", "another"])
        equal([len(each.values) for each in made.embeddings], [4, 4])
