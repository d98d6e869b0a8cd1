"""Every test has one of the labels fast, gl, window and slow: labels.py BUILD"""
import json
import subprocess
import sys

KINDS = {"fast", "gl", "window", "slow"}

shown = subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
wrong = 0
for test in json.loads(shown.stdout)["tests"]:
    if test["name"].endswith("_NOT_BUILT"):
        continue  # a program of which only some were asked for
    labels = [label for one in test.get("properties", []) if one["name"] == "LABELS" for label in one["value"]]
    if len(KINDS & set(labels)) != 1:
        wrong += 1
        print(f"{test['name']}: labels {labels}; expected one of {sorted(KINDS)}")
sys.exit(1 if wrong else 0)
