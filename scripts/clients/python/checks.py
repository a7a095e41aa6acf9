"""What the programs of Python clients share. No packages: each client brings its own."""

import json
import os
import traceback

url = os.environ["TURNPIKE_URL"]
key = os.environ["TURNPIKE_KEY"]
vendor = os.environ["TURNPIKE_VENDOR"]
png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

hello = "Say hello"
greeting = "Hello to you"
weather_question = "How is the weather in Oslo and in Rome?"
weather_schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}
weather_answer = "It said: Oslo is sunny and Rome is sunny"
extraction = "Extract the city and the degrees: it has 21 degrees in Oslo."
extraction_schema = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "degrees": {"type": "integer"}},
    "required": ["city", "degrees"],
    "additionalProperties": False,
}
secret = "Remember the word cobalt."
secret_question = "Which word?"
secret_answer = "The word is cobalt."
pass_on = "Pass me on to the clerk."
image_question = "What is in the picture?"
image_answer = "I see image/png of 70 bytes."


def model(what: str = "plain") -> str:
    """A model of the scripted vendor, named after what it does: scripts/clients/vendor/vendor.ts."""
    return f"{vendor}/{what}-{os.environ['TURNPIKE_RUN']}"


def weather_in(city: str) -> str:
    return f"{city} is sunny"


def check(run):
    """Runs a check, which has the name of the function, and prints how it went."""
    try:
        run()
        _report({"check": run.__name__})
    except BaseException as error:
        where = "".join(traceback.format_tb(error.__traceback__)[-3:])
        _report({"check": run.__name__, "failure": f"{type(error).__name__}: {error}"[:1000] + f"\n{where}"})
    return run


def absent(name: str, why: str) -> None:
    """For a check that the client has no way to do."""
    _report({"check": name, "absent": why})


def _report(line: dict) -> None:
    print(json.dumps(line, separators=(",", ":")), flush=True)


def equal(seen, expected, what: str = "the answer") -> None:
    if seen != expected:
        raise AssertionError(f"Expected {what} to be {expected!r}, got {seen!r}")


def holds(condition, what: str, seen) -> None:
    if not condition:
        raise AssertionError(f"Expected {what}, got {seen!r}")


def failure(run) -> Exception:
    """The exception that a call raises."""
    try:
        value = run()
    except Exception as error:
        return error
    raise AssertionError(f"Expected a failure, got {value!r}")
