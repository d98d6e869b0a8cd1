"""assets/corpus/costs.py: the guide has the tables that it prints from rates.json, and its formula is the sum of its parts.

    costs_test.py
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "assets" / "corpus"))
import costs  # noqa: E402

gpt2, one, eight, seventy = costs.MODELS
# Numbers in the matrices of the layers, as the models' own pages count them: without embeddings and norms.
assert gpt2.matrices() == 12 * (4 * 768 * 768 + 2 * 768 * 3072) == 84_934_656
assert one.matrices() == 16 * (2 * 2048 * 2048 + 2 * 2048 * 512 + 3 * 2048 * 8192) == 973_078_528
assert [round(model.matrices() / 1e9, 2) for model in (eight, seventy)] == [6.98, 68.45]
# A token alone sees itself: four operations a number of a head, and two a weight.
assert gpt2.work(1) == 2 * 84_934_656 + 4 * 12 * 768
# Twice the speed is half the time, twice the tokens are twice the time.
rates = json.loads((ROOT / "assets" / "corpus" / "rates.json").read_text())
speed, _ = costs.rate(rates, 512)
row = next(row for row in rates["scans"] if row["model"] == "gpt2-shape" and row["threads"] == 1 and row["tokens_a_phrase"] == 512)
assert abs(512 * gpt2.work(512) / speed - 512e-6 * row["microseconds_a_token_processor"]) < 1e-9
assert [costs.two_digits(number) for number in (0.0123, 1.26, 12.4, 126, 98_765)] == ["0.012", "1.3", "12", "130", "99,000"]
assert [costs.time_text(number) for number in (9.94, 120, 7200, 200_000, 1e9)] == ["9.9 s", "2 min", "2 h", "2.3 days", "32 years"]

printed = subprocess.run([sys.executable, ROOT / "assets" / "corpus" / "costs.py"], check=True, capture_output=True, text=True).stdout
guide = (ROOT / "assets" / "guide" / "07-a-corpus.md").read_text()
rows = [line for line in printed.splitlines() if line.startswith(("| ", "R = "))]
missing = [line for line in rows if line not in guide]
assert len(rows) == 13 and not missing, "not in the guide; assets/corpus/costs.py prints:\n" + "\n".join(missing)
print(f"{len(rows)} lines of the guide are what costs.py prints")
