import base64
import json
import os
import signal
import subprocess
import sys
import tempfile

import checks as kit
from checks import check, equal, holds, model

home = tempfile.mkdtemp()
names = ["plain", "failing-500", "busy-429", "busy-500", "cut", "slow"]
with open(os.path.join(home, "extra-openai-models.yaml"), "w") as file:
    for name in names:
        file.write(
            f"- model_id: {name}\n  model_name: {model(name)}\n  api_base: {kit.url}/v1\n  api_key_name: turnpike\n  vision: true\n  supports_tools: true\n  supports_schema: true\n"
        )
with open(os.path.join(home, "picture.png"), "wb") as file:
    file.write(base64.b64decode(kit.png))


def command(args: list[str], key: str = kit.key) -> dict:
    environment = {"PATH": os.environ["PATH"], "HOME": home, "LLM_USER_PATH": home, "LANG": "C.UTF-8", "LLM_LOAD_PLUGINS": ""}
    return {"args": [os.path.join(os.path.dirname(sys.executable), "llm"), *args, "--key", key], "env": environment, "cwd": home}


def llm(prompt: str, *args: str, what: str = "plain", key: str = kit.key):
    return subprocess.run(**command([prompt, "-m", what, *args], key), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)


def said(prompt: str, *args: str, **more) -> str:
    done = llm(prompt, *args, **more)
    holds(done.returncode == 0, "success", done.stderr[-1000:])
    return done.stdout.strip()


@check
def text():
    equal(said(kit.hello, "--no-stream"), kit.greeting)


@check
def stream():
    equal(said(kit.hello), kit.greeting)


@check
def tools():
    code = 'def get_weather(city: str) -> str:\n    """The weather in a city."""\n    return f"{city} is sunny"\n'
    for args in ([], ["--no-stream"]):
        equal(said(kit.weather_question, "--functions", code, *args), kit.weather_answer)


@check
def structured():
    equal(json.loads(said(kit.extraction, "--schema", "city, degrees int")), {"city": "Oslo", "degrees": 21})


@check
def images():
    equal(said(kit.image_question, "-a", "picture.png"), kit.image_answer)


@check
def errors():
    for done in (llm(kit.hello, key="tp_demo_wrong"), llm(kit.hello, what="failing-500"), llm(kit.hello, what="cut")):
        holds(done.returncode != 0 and "Error" in done.stderr, "a failure", (done.stdout, done.stderr))


@check
def retries():
    for what in ("busy-429", "busy-500"):
        equal(said(kit.hello, what=what), kit.greeting)


@check
def abort():
    child = subprocess.Popen(**command([kit.hello, "-m", "slow"]), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    holds(child.stdout.read(4), "the first piece", "")
    child.send_signal(signal.SIGINT)
    child.wait(20)
