import os
import subprocess
import sys
import tempfile
import threading

import checks as kit
from checks import check, holds, model

home = tempfile.mkdtemp()
environment = {
    "PATH": os.environ["PATH"],
    "HOME": home,
    "LANG": "C.UTF-8",
    "OPENAI_API_BASE": f"{kit.url}/v1",
    "AIDER_ANALYTICS": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}
switches = "--no-git --yes-always --no-check-update --no-show-release-notes --no-show-model-warnings --no-gitignore --no-pretty --no-detect-urls --no-suggest-shell-commands --map-tokens 0"


def command(prompt: str, what: str, key: str, *args: str) -> dict:
    aider = os.path.join(os.path.dirname(sys.executable), "aider")
    model_name = f"openai/{model(what)}"
    models = ["--model", model_name, "--weak-model", model_name]
    return {"args": [aider, *models, *switches.split(), "--message", prompt, *args], "env": {**environment, "OPENAI_API_KEY": key}, "cwd": home}


def aider(prompt: str, *args: str, what: str = "plain", key: str = kit.key) -> str:
    done = subprocess.run(**command(prompt, what, key, *args), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    return done.stdout + done.stderr


@check
def text():
    said = aider(kit.hello, "--no-stream")
    holds(kit.greeting in said, kit.greeting, said[-1000:])


@check
def stream():
    said = aider(kit.hello, "--stream")
    holds(kit.greeting in said, kit.greeting, said[-1000:])


kit.absent("tools", "it edits by what the text says")
kit.absent("structured", "it edits by what the text says")
kit.absent("images", "only for models that its list says can see")


@check
def errors():
    said = aider(kit.hello, key="tp_demo_wrong")
    holds("AuthenticationError" in said, "an AuthenticationError", said[-1000:])


@check
def retries():
    for what in ("busy-429", "busy-500"):
        said = aider(kit.hello, what=what)
        holds(kit.greeting in said, kit.greeting, said[-1000:])


@check
def abort():
    with subprocess.Popen(**command(kit.hello, "slow", kit.key), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        timer = threading.Timer(60, child.kill)
        timer.start()
        seen = ""
        while "Hell" not in seen and (piece := os.read(child.stdout.fileno(), 4096)):
            seen += piece.decode(errors="replace")
        child.terminate()
        timer.cancel()
    holds("Hell" in seen, "the first piece", seen[-500:])
