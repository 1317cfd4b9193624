"""Recomputes the interval of the declared metric from result.json, with nothing but Python 3.

Usage: python3 docs/recompute.py results/quick/latest/result.json

One line per candidate: estimate, interval and its exact level; then whether result.json says the same.
"""

import json
import math
import sys
from statistics import median

READ = {
    "tps": lambda trial: (trial.get("steady") or trial["run"])["tps"],
    "runtime": lambda trial: trial["run"]["durationSeconds"] or trial["run"]["transactions"] / trial["run"]["tps"],
    "latency.average": lambda trial: (trial.get("steady") or trial["run"])["latencyAverageSeconds"] or trial["latency"]["latencySeconds"]["mean"],
    "latency.p50": lambda trial: trial["latency"]["latencySeconds"]["p50"],
    "latency.p95": lambda trial: trial["latency"]["latencySeconds"]["p95"],
    "latency.p99": lambda trial: trial["latency"]["latencySeconds"]["p99"],
}


def interval(values, wanted):
    """Hodges-Lehmann estimate and exact Wilcoxon signed-rank interval of the centre of the values."""
    n = len(values)
    walsh = sorted((values[i] + values[j]) / 2 for i in range(n) for j in range(i, n))
    # ways[s]: in how many of the 2^n ways of drawing signs the positive ranks add up to s.
    ways = [1]
    for rank in range(1, n + 1):
        ways = [a + b for a, b in zip(ways + [0] * rank, [0] * rank + ways)]
    # The k-th average from either end; k is the largest that keeps the level.
    k, missed, level = 0, 0, None
    while 1 - 2 * (missed + ways[k]) / 2**n >= wanted:
        missed += ways[k]
        k, level = k + 1, 1 - 2 * missed / 2**n
    return median(walsh), None if n < 6 or k == 0 else (walsh[k - 1], walsh[-k], level)


def main(path):
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    decision, protocol = (result["experiment"]["definition"][part] for part in ("decision", "protocol"))
    period = {trial["block"]: trial.get("period", 1) for trial in result["trials"]}
    # One attempt counts of each block: the last in which no check failed, or else the last in which both sides finished.
    read = {}
    for trial in result["trials"]:
        if trial["state"] == "finished" and trial["run"]["complete"]:
            invalid = any(check["state"] == "fail" for check in trial.get("checks", []))
            attempt = (trial["block"], trial.get("attempt", 1))
            read.setdefault(attempt, {})[trial["variant"]] = (not invalid, READ[decision["metric"]](trial))

    agrees = True
    for comparison in (c for c in result["comparisons"] if c["primary"]):
        baseline, candidate = comparison["baseline"]["variant"], comparison["candidate"]["variant"]
        blocks = {}
        for (block, attempt), sides in sorted(read.items()):
            if baseline in sides and candidate in sides:
                valid = sides[baseline][0] and sides[candidate][0]
                if valid or not blocks.get(block, (False,))[0]:
                    blocks[block] = (valid, math.log(sides[candidate][1] / sides[baseline][1]))
        ratios = [ratio for _, ratio in blocks.values()]
        if protocol.get("crossover"):
            # A block of the first half goes with one of the second, in which each instance carried the other variant.
            halves = [[ratio for block, (_, ratio) in blocks.items() if period[block] == half] for half in (1, 2)]
            ratios = [(first + second) / 2 for first, second in zip(*halves)]
        if not ratios:
            print(f"{candidate} against {baseline}: no complete block")
            continue
        stated = comparison["interval"]
        # With `until: precision` the level is that of the look at which it stopped.
        looked = protocol.get("until") == "precision" and stated
        estimate, found = interval(ratios, stated["level"] - 1e-12 if looked else decision["level"])
        numbers = [math.expm1(estimate)] + ([math.expm1(found[0]), math.expm1(found[1]), found[2]] if found else [])
        text = f"{candidate} against {baseline}, {decision['metric']}, {len(ratios)} blocks: {numbers[0]:+.4%}"
        print(text + (f", {numbers[1]:+.4%} to {numbers[2]:+.4%} at the {numbers[3]:.2%} level" if found else ", no interval"))
        said = [comparison["change"]] + ([stated["low"], stated["high"], stated["level"]] if stated else [])
        agrees &= len(said) == len(numbers) and all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in zip(said, numbers))
    print("result.json says the same" if agrees else "result.json says something else")
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
