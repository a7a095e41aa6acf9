import sys

import checks as kit
import dspy
from checks import check, equal, failure, holds, model

dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)


def lm(what: str = "plain", key: str = kit.key, **more):
    return dspy.LM(f"openai/{model(what)}", api_base=f"{kit.url}/v1", api_key=key, **more)


class Extract(dspy.Signature):
    """Extract the city and the degrees."""

    sentence: str = dspy.InputField()
    city: str = dspy.OutputField()
    degrees: int = dspy.OutputField()


def get_weather(city: str) -> str:
    """The weather in a city."""
    return kit.weather_in(city)


@check
def text():
    equal(lm()(kit.hello), [kit.greeting])


kit.absent("stream", "of text only inside its own programs")


@check
def tools():
    tool = {"type": "function", "function": {"name": "get_weather", "description": "The weather", "parameters": kit.weather_schema}}
    [output] = lm()(kit.weather_question, tools=[tool])
    equal([call.function.name if hasattr(call, "function") else call["function"]["name"] for call in output["tool_calls"]], ["get_weather"] * 2)


@check
def structured():
    for adapter in (dspy.ChatAdapter(), dspy.JSONAdapter()):
        with dspy.context(lm=lm(), adapter=adapter):
            prediction = dspy.Predict(Extract)(sentence=kit.extraction)
            equal((prediction.city, prediction.degrees), ("Oslo", 21), type(adapter).__name__)


@check
def images():
    content = [{"type": "text", "text": kit.image_question}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{kit.png}"}}]
    equal(lm()(messages=[{"role": "user", "content": content}]), [kit.image_answer])


@check
def errors():
    for asked in (lm(key="tp_demo_wrong", num_retries=0), lm("failing-500", num_retries=0)):
        error = failure(lambda: asked(kit.hello))
        holds("401" in str(error) or "503" in str(error) or "API key" in str(error) or "500" in str(error), "an error that tells the status", error)


@check
def retries():
    for status in (429, 500):
        equal(lm(f"busy-{status}")(kit.hello), [kit.greeting])


kit.absent("abort", "it has no way to stop")
