"""Recomputes the interval of the declared metric from the pairs in result.json, with nothing but Python 3.

Usage: python3 docs/recompute.py results/quick/latest/result.json

One line per candidate: estimate, interval and its exact level; then whether result.json says the same.
"""

import json
import math
import sys
from statistics import median


def interval(values, wanted):
    """Hodges-Lehmann estimate and exact Wilcoxon signed-rank interval of the centre of the values."""
    n = len(values)
    walsh = sorted((values[i] + values[j]) / 2 for i in range(n) for j in range(i, n))
    # ways[s]: how many of the 2^n ways to draw signs give positive ranks that add up to s.
    ways = [1]
    for rank in range(1, n + 1):
        ways = [a + b for a, b in zip(ways + [0] * rank, [0] * rank + ways)]
    # From the k-th lowest to the k-th highest average; k is the largest that keeps the level.
    k, missed, level = 0, 0, None
    while 1 - 2 * (missed + ways[k]) / 2**n >= wanted:
        missed += ways[k]
        k, level = k + 1, 1 - 2 * missed / 2**n
    return median(walsh), None if n < 6 or k == 0 else (walsh[k - 1], walsh[-k], level)


def main(path):
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    decision, protocol = (result["experiment"]["definition"][part] for part in ("decision", "protocol"))

    agrees = True
    for comparison in (c for c in result["comparisons"] if c["primary"]):
        baseline, candidate = comparison["baseline"]["variant"], comparison["candidate"]["variant"]
        # Each pair comes from one block; in a crossover, from one block of each half.
        ratios = [math.log(pair["candidate"] / pair["baseline"]) for pair in comparison["pairs"]]
        level = "".join(f", {name} {value}" for name, value in comparison["conditions"].items())
        if not ratios:
            print(f"{candidate} against {baseline}{level}: no complete block")
            continue
        stated = comparison["interval"]
        # With `until: precision`, the level is that of the look at which the run stopped.
        looked = protocol.get("until") == "precision" and stated
        estimate, found = interval(ratios, stated["level"] - 1e-12 if looked else decision["level"])
        numbers = [math.expm1(estimate)] + ([math.expm1(found[0]), math.expm1(found[1]), found[2]] if found else [])
        text = f"{candidate} against {baseline}{level}, {decision['metric']}, {len(ratios)} pairs: {numbers[0]:+.4%}"
        print(text + (f", {numbers[1]:+.4%} to {numbers[2]:+.4%} at the {numbers[3]:.2%} level" if found else ", no interval"))
        said = [comparison["change"]] + ([stated["low"], stated["high"], stated["level"]] if stated else [])
        agrees &= len(said) == len(numbers) and all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in zip(said, numbers))
    print("result.json says the same" if agrees else "result.json says something else")
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
