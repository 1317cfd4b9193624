"""Recomputes from the pairs in result.json what pgduet says of the declared metric, with nothing but Python 3.

The pairs of a candidate with a control are not in result.json: they are found from its trials.

Usage: python3 docs/recompute.py results/quick/latest

The folder of a run, or its result.json.

For each comparison that decides: change, interval, its exact level, the verdict, and why there is none. Then whether
result.json says the same. The rules are those of docs/statistics.md.
"""

import hashlib
import json
import math
import os
import sys
from statistics import median


def rank(n, level):
    """Largest k, and its exact level: the k-th average of pairs from either end has the k-1 rarest signed-rank sums outside."""
    ways = [1]  # ways[s]: in how many of the 2^n ways of drawing signs the positive ranks add up to s
    for one in range(1, n + 1):
        ways = [a + b for a, b in zip(ways + [0] * one, [0] * one + ways)]
    k, outside, exact = 0, 0, None
    while k < len(ways) and 1 - 2 * (outside + ways[k]) / 2**n >= level - 1e-12:
        outside += ways[k]
        k, exact = k + 1, 1 - 2 * outside / 2**n
    return k, exact


def interval(values, level, unknown=0):
    """Both ends and the exact level; unknown values are the worst: minus and plus infinity."""
    k, exact = rank(len(values) + unknown, level)
    averages = lambda some: sorted((a + b) / 2 for i, a in enumerate(some) for b in some[i:])
    low = k and averages(values + [-math.inf] * unknown)[k - 1]
    return (low, averages(values + [math.inf] * unknown)[-k], exact) if k and math.isfinite(low) else None


def observed(comparison, before, after):
    """What other programs on this machine took of both trials of a pair, and how far that can have moved each; None elsewhere."""
    metric, both = comparison["metric"], [before["measures"], after["measures"]]
    get = lambda m, name, default=None: default if m.get(name) is None else m[name]
    if comparison["scope"] != "this-machine":
        return None
    paced = metric in ("tps", "runtime") or metric.startswith("tps@") or comparison["unit"] == "1/min" or (
        metric == "latency.average" and all(get(m, "client.turn") is not None for m in both))
    found = {"paced": paced, "time": comparison["better"] != "higher", "share": [], "own": [], "part": [], "loss": [], "gain": [],
             "always": [trial.get("facts", {}).get("alwaysRunnable", {}) for trial in (before, after)]}
    for m in both:
        own, stolen = get(m, "driver.own"), get(m, "driver.steal", 0)
        clients, processors = get(m, "load.clients"), get(m, "driver.processors")
        share = 0 if get(m, "driver.others") is None else min(1, m["driver.others"] + (stolen / (own + stolen) if stolen > 0 and own is not None else stolen))
        sleeps = m.get("driver.awake") != 1 and (clients is None or processors is None or clients <= processors)
        found["share"].append(share)
        found["own"].append(own)
        found["part"].append(1 if own is None else min(1, max(0.001, own / max(0.001, 1 - share))))
        found["loss"].append(loss(share, own) if share >= 0.03 else 0)
        found["gain"].append(math.log(5) if share >= 0.03 and sleeps else 0)
    return found


def loss(share, own):
    """Log of how many times as much a trial may do on a quiet machine, by what others took and what it had itself."""
    by_share = -math.log1p(-2 * share) if share < 0.5 else math.inf
    return min(by_share, math.log(2.5 / own) if own else math.inf)


def explained(pairs):
    """How far lower and higher the change may be on a quiet machine, and beside equal programs (statistics.md, beside other programs)."""
    seen = [p["observed"] for p in pairs if p.get("observed")]
    if not seen:
        return (0, 0), (0, 0)
    threads = set.intersection(*(set(trial) for one in seen for trial in one["always"]))  # beside all trials alike
    for one in seen:
        there = [sum(trial[thread] for thread in threads) for trial in one["always"]]
        one["rest"] = [min(1, max(0, share - always) / max(0.001, 1 - always)) for share, always in zip(one["share"], there)]
        one["own_of_rest"] = [own and own / max(0.001, 1 - always) for own, always in zip(one["own"], there)]
    if not all(one["paced"] for one in seen):  # nothing bounds what they do to a percentile
        apart = math.inf if any(abs(one["rest"][0] - one["rest"][1]) > 0.01 for one in seen) else 0
        noticed = math.inf if any(max(one["share"]) >= 0.03 for one in seen) else 0
        return (max(apart, noticed),) * 2, (apart,) * 2

    def farthest(values):
        if math.inf in values:
            return math.inf
        bounded = [max(-1000, value) for value in values]
        return max(0, sum(bounded) / len(bounded), centre(bounded))

    part = min(one for each in seen for one in each["part"])
    bound = lambda share: loss(share, part * max(0.001, 1 - share))
    ranked = sorted(bound(share) for one in seen for share in one["rest"])
    multiple = min([2] + [(1 - own / 2.5) / share for one in seen for share, own in zip(one["rest"], one["own_of_rest"]) if share > 0 and own is not None])
    laws = [lambda share, end=ranked[i * (len(ranked) - 1) // 8]: min(end, bound(share)) for i in range(9)]
    laws.append(lambda share: -math.log(max(0.001, 1 - multiple * share)))
    beyond = lambda i, j: max(farthest([lost(one["rest"][i]) - lost(one["rest"][j]) for one in seen]) for lost in laws) + farthest([one["gain"][j] - one["gain"][i] for one in seen])
    alike = beyond(0, 1), beyond(1, 0)
    in_all = lambda i, j: farthest([one["loss"][i] + one["gain"][j] for one in seen])
    quiet = max(alike[0], in_all(0, 1)), max(alike[1], in_all(1, 0))
    return (quiet[::-1], alike[::-1]) if seen[0]["time"] else (quiet, alike)


def fewest(level, unknown):
    """Fewest pairs, six at least, from which the interval has two ends."""
    n = max(6, unknown + 1)
    while rank(n, level)[0] <= unknown * (unknown + 1) // 2 + unknown * (n - unknown):
        n += 1
    return n


def samples(pairs, unknown):
    """All pairs; in a crossover of several exchanges those without each one of them: a host that changes spoils only one."""
    exchanges = sorted({p["exchange"] for p in pairs if "exchange" in p} | {e for e in unknown if e is not None})
    return [([p for p in pairs if p["exchange"] != one], [e for e in unknown if e != one]) for one in exchanges] or [(pairs, unknown)]


def level_of(protocol, level, blocks, together):
    """With `until: precision` or `verdict` the error is shared out among looks at fixed numbers of blocks: evenly, or
    2/3 of it for the first look, which then comes as soon as all comparisons can have an interval."""
    if protocol.get("until", "blocks") == "blocks":
        return level
    early, allowed = protocol["until"] == "verdict", (1 - level) / together
    cap, counts, looks, spent, at = protocol["blocks"], [], [], 0, fewest(1 - 2 / 3 * allowed, 0) if early else 8
    while at < cap / math.sqrt(1.4):
        counts, at = counts + [at], math.ceil(at * 1.4)
    for index, count in enumerate(counts + [cap]):
        share = 2 / 3 + 1 / 3 * index / len(counts) if early and counts else (index + 1) / (len(counts) + 1)
        k, exact = rank(count, 1 - (allowed * share - spent))
        if k:
            spent, looks = spent + 1 - exact, looks + [(count, 1 - together * (1 - exact))]
    return next((exact for count, exact in looks if count >= blocks), looks[-1][1])


def added(pairs):
    """What totals add up: of a pair with geometric means of several trials, the arithmetic ones."""
    return [p.get("means", p) for p in pairs]


def totals(pairs):
    """Ratio of the sums with two standard errors by the jackknife, as logarithms."""
    pairs = added(pairs)
    a, b, n = sum(p["baseline"] for p in pairs), sum(p["candidate"] for p in pairs), len(pairs)
    if n < 2 or min(a, b) <= 0:
        return None
    without = [(a - p["baseline"], b - p["candidate"]) for p in pairs]
    if min(map(min, without)) <= 0:  # all of a side comes from one pair: nothing bounds the error
        return -math.inf, math.inf
    left = [math.log(candidate / baseline) for baseline, candidate in without]
    error = math.sqrt((n - 1) / n * sum((value - sum(left) / n) ** 2 for value in left))
    return math.log(b / a) - 2 * error, math.log(b / a) + 2 * error


def means(pairs):
    """Difference of the means with two standard errors: of shares, what the ratio of the sums is of other values."""
    values, n = [p["candidate"] - p["baseline"] for p in pairs], len(pairs)
    if n < 2:
        return None
    mean = sum(values) / n
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n)
    return mean - 2 * error, mean + 2 * error


def scaled(pairs, by_difference=False):
    """Values to average, and how they become a change: differences of shares; otherwise log-ratios, in which zero counts as
    less than every other value, so that what depends on how much less has no number."""
    if by_difference:
        return [p["candidate"] - p["baseline"] for p in pairs], lambda value: value
    lowest = min((min(p["baseline"], p["candidate"]) for p in pairs), default=0)
    comparable = lowest >= 0 and any(min(p["baseline"], p["candidate"]) > 0 for p in pairs)
    log = lambda value: math.log(value) if value > 0 else -1e6
    change_of = lambda value: math.expm1(value) if comparable and abs(value) <= 700 else None
    return [log(p["candidate"]) - log(p["baseline"]) for p in pairs], change_of


def centre(values):
    """The estimate of Hodges and Lehmann."""
    return median((a + b) / 2 for i, a in enumerate(values) for b in values[i:])


def measured(trial, metric):
    """Its value that counts: of the steady part, if the start was left out."""
    return {**trial["measures"], **trial.get("steady", {}).get("measures", {})}.get(metric)


def plain(trial, *without):
    """What was varied besides the servers, and besides these."""
    return {name: value for name, value in trial["conditions"].items() if name not in ("replica", *without)}


def levels_past_knee(result, after):
    """Levels more than one above the knee of every variant, by the first blocks alone: later blocks leave them out."""
    past = []
    for ladder in result.get("ladders", []):
        axis, knees = ladder["axis"], []
        levels = sorted(point["level"] for point in ladder["variants"][0]["points"])
        for one in ladder["variants"]:
            found = {}  # by level, then by block and pair of instances: what was measured last
            for t in result["trials"]:
                at = {"variant": one["variant"], **ladder["conditions"]}
                if t["block"] <= after and t["state"] == "finished" and plain(t, axis) == at:
                    found.setdefault(t["conditions"][axis], {})[t["block"], t["conditions"].get("replica")] = measured(t, ladder["throughput"])
            logs = [[math.log(v) for v in found.get(level, {}).values() if v and v > 0] for level in levels]
            centres = [centre(some) if some else -math.inf for some in logs]
            known = sum(map(math.isfinite, centres)) > 1
            knees.append(next(i for i, c in enumerate(centres) if c >= max(centres) + math.log(0.95)) if known else len(levels))
        past += [{**ladder["conditions"], axis: level} for level in levels[max(knees) + 2:]]
    return past


def obstacles(result, definition):
    """What the design lacks, or how the run ended."""
    protocol, trials = definition["protocol"], result["trials"]
    found = [] if protocol["order"] == "random" else ["order: " + protocol["order"]]
    done = {(t["block"], json.dumps(t["conditions"], sort_keys=True)) for t in trials if t["state"] != "interrupted"}
    after = definition.get("ladder", {}).get("stopPastKneeAfter", math.inf)
    past = levels_past_knee(result, after) if after < math.inf else []
    climbed = {json.dumps(t["conditions"], sort_keys=True) for t in trials if plain(t, "variant") not in past}
    conditions = {one for _, one in done}
    missing = [b for b in range(1, protocol["blocks"] + 1)
               if any((b, one) not in done for one in (conditions if b <= after else conditions & climbed)) or not done]
    # Who cuts a run off and goes on with it chooses how much a limit leaves.
    gone_on_with = any(s["step"] == "create" and s["startedAt"] > min(t["startedAt"] for t in trials) for s in result["steps"] if trials)
    if missing and "stoppedAfterBlock" not in result and ("stoppedBy" not in result or gone_on_with):
        found.append(f"ended after {missing[0] - 1} of {protocol['blocks']} blocks")
    if definition["decision"]["metric"] == "tps" and definition["workload"].get("rate") is not None:
        found.append("TPS is given by the rate")
    return found


def failed_checks(result, comparison):
    """Failed checks of the two variants, and of the trials that count."""
    counted = set()  # block, attempt and, where each variant has several servers, replica
    for pair in comparison["pairs"]:
        blocks = pair.get("blocks", [pair.get("block")])
        replicas = pair.get("replicas", [pair.get("replica")] * len(blocks))
        counted |= set(zip(blocks, pair.get("attempts", [pair.get("attempt")]), replicas))
    names = {comparison["baseline"]["variant"], comparison["candidate"]["variant"]}
    at = [{**comparison["conditions"], "variant": name} for name in names]
    key = lambda t: (t["block"], t["attempt"], t["conditions"].get("replica"))
    own = [t for t in result["trials"] if key(t) in counted and plain(t) in at]
    failed = [c.get("id", c["name"]) for one in [comparison, *own] for c in one["checks"] if c["state"] == "fail"]  # older files have names alone
    return [one for one in failed if one != "control"]


def sound(trial):
    return trial["state"] == "finished" and all(c["state"] != "fail" for c in trial["checks"])


def lost(trial):
    """It failed, or failed a check, and nothing outside the servers explains it."""
    if trial["state"] == "failed":
        return "outside" not in trial["failure"]
    return trial["state"] == "finished" and any(c["state"] == "fail" and "outside" not in c for c in trial["checks"])


def outcome(attempts):
    """The trials of two variants at a block that count, by variant, if any; and whether the block is unknown."""
    pair, is_lost, seen, last = None, False, [], len(attempts) - 1
    for number, own in enumerate(attempts):
        ended = [t for t in own if t["state"] != "interrupted"]
        finished = {t["conditions"]["variant"]: t for t in reversed(ended) if t["state"] == "finished"}
        cut = [t for t in own if t["state"] == "interrupted" and (t["failure"] or {}).get("stage") != "reset"]
        is_lost, seen, both = is_lost or any(map(lost, own)), seen + [number] * len(cut), {t["conditions"]["variant"] for t in ended}
        if len(finished) == 2 and all(map(sound, finished.values())):
            return finished, is_lost or bool(seen)
        if len(finished) == 2:
            pair = finished
        elif number < last and not cut and len(both) < 2:  # given up before the other side came to its end
            seen += [number] * len(finished)
    # Nothing took the place of what the run ended with.
    return pair, is_lost or bool(seen) and (len(both) == 2 or min(seen) < last)


def against(result, candidate, control):
    """The candidate's pairs with a control in place of the baseline, from the trials; and those that are unknown, as `unknown_in`."""
    names = [control["candidate"]["variant"], candidate["candidate"]["variant"]]
    trials, read, whose = [t for t in result["trials"] if plain(t, "variant") == candidate["conditions"]], [], {}

    def value(trial):
        found = measured(trial, candidate["metric"])
        work = trial["measures"].get("transactions") if candidate["unit"].endswith("/transaction") else 1
        return found / work if found is not None and work and work > 0 else None

    for block, replica in sorted({(t["block"], t["conditions"].get("replica", 0)) for t in trials}):
        here = [t for t in trials if (t["block"], t["conditions"].get("replica", 0)) == (block, replica)]
        pair, unknown = outcome([[t for t in here if t["attempt"] == attempt and t["conditions"]["variant"] in names]
                                 for attempt in sorted({t["attempt"] for t in here})])
        values = [None, None] if unknown else [value(pair[name]) for name in names] if pair else []
        if pair:
            whose[replica if candidate["scope"] == "configurations" else block] = [pair[name] for name in names]
        if unknown or pair:
            read.append((replica if candidate["scope"] == "configurations" else block, dict(zip(("baseline", "candidate"), values)), unknown))
    # A block without a value is unknown, where others have one.
    some = any(None not in p.values() for _, p, _ in read)
    none = {"baseline": None, "candidate": None}
    read = [(unit, none if None in p.values() else p) for unit, p, unknown in read if unknown or some]
    # Several pairs of instances are one value a block, if all of them count in it; or one value each.
    count = 1 if candidate["scope"] == "configurations" else len({t["conditions"].get("replica") for t in trials})
    known = [p for _, p in read if p["baseline"] is not None]
    # Shares are compared by their difference, and so is their mean.
    geometric = candidate["unit"] != "1" and all(min(p.values()) > 0 for p in known)
    mean = lambda found: sum(found) / len(found)
    middle = lambda found: math.exp(mean([math.log(one) for one in found])) if geometric else mean(found)
    groups = {unit: [p for other, p in read if other == unit] for unit, _ in read}
    united = [[p[side] for p in own] for own in groups.values() if len(own) >= count for side in ("baseline", "candidate")]
    sides = lambda by, a, b: {"baseline": by(a), "candidate": by(b)}
    units = [unit for unit, own in groups.items() if len(own) >= count]
    pairs = [{**sides(middle, a, b), "means": sides(mean, a, b), "observed": observed(candidate, *whose[unit])}
             for unit, a, b in zip(units, united[::2], united[1::2]) if None not in a]
    return pairs, [None] * (len(united) // 2 - len(pairs))


def outside(found):
    """1 above zero, -1 below it, 0 where the interval holds it or there is none."""
    return (found[0] > 0) - (found[1] < 0) if found else 0


def unknown_in(comparison):
    """The exchange of each unknown pair, or None."""
    return comparison.get("unknownExchanges", [None] * comparison.get("unknownPairs", 0))


def judge(result):
    """For each comparison that decides: (comparison, change, interval, verdict, why there is none)."""
    definition, baseline = result["experiment"]["definition"], result["experiment"]["baseline"]
    decision, variants = definition["decision"], definition["variants"]
    same = {name: {k: v for k, v in one.items() if k != "description"} for name, one in variants.items()}
    primary = [c for c in result["comparisons"] if c["primary"]]
    is_control = [same[c["candidate"]["variant"]] == same[c["baseline"]["variant"]] for c in primary]
    if not 0 < decision["level"] < 1:
        raise ValueError(f"the level is {decision['level']}")
    level = max(decision["level"], result.get("start", {}).get("level", 0))  # every start of a question has its own
    together = max(1, sum(is_control), len(is_control) - sum(is_control))
    level = level_of(definition["protocol"], level, len({t["block"] for t in result["trials"]}), together)
    drawn = definition["protocol"]["order"] == "random"
    by_difference = any(c["unit"] == "1" for c in primary)  # a share: its threshold is a difference, too

    def at(pairs, among, unknown):
        """The widest of the intervals of all samples, since it is not known which one holds."""
        values, change_of = scaled(pairs, by_difference)
        of = dict(zip(map(id, pairs), values))
        found = [some and interval([of[id(p)] for p in some], 1 - (1 - level) / among, len(lost)) for some, lost in samples(pairs, unknown)]
        if not drawn or not all(found):
            return None
        low, high, exact = min(f[0] for f in found), max(f[1] for f in found), min(f[2] for f in found)
        ends = change_of(low), change_of(high)
        return None if None in ends else (*ends, exact)

    def beside(pairs, among, unknown, kind):
        """The same ends, moved by what other programs can explain: to a quiet machine (0), or to one with equal programs (1)."""
        found = at(pairs, among, unknown)
        values, change_of = scaled(pairs, by_difference)
        on_scale = (lambda value: value) if by_difference else math.log1p
        lower, higher = explained(pairs)[kind]
        moved = lambda end, by: None if math.isinf(by) else change_of(on_scale(end) + by)
        return moved(found[0], -lower), moved(found[1], higher)

    def same_side(pairs, among, unknown, kind, side):
        low, high = beside(pairs, among, unknown, kind)
        return low is not None and low > 0 if side > 0 else high is not None and high < 0

    trial_of = {t["id"]: t for t in result["trials"]}
    for c in primary:
        for pair, of in zip(c["pairs"], c.get("trials", [])):
            pair["observed"] = observed(c, trial_of[of["baseline"]], trial_of[of["candidate"]])

    limit, judged = decision["practicalThreshold"], []

    def equivalent(pairs, found, unknown, among):
        sums, change_of = (means(pairs), lambda value: value) if by_difference else (totals(pairs), math.expm1)
        lowest = -limit if by_difference else -limit / (1 + limit)
        within = lambda low, high: low >= lowest and high <= limit
        if not found or unknown or not within(*found[:2]) or not (sums is None or within(*map(change_of, sums))):
            return False
        quiet = beside(pairs, among, unknown, 0)
        on_scale = (lambda value: value) if by_difference else math.log1p
        moved = lambda i: change_of(sums[i] + on_scale(quiet[i]) - on_scale(found[i]))  # the totals, as far as the typical pair
        return None not in quiet and within(*quiet) and (sums is None or within(moved(0), moved(1)))

    def contradicts(pairs, change):
        """The totals do not lie on the same side of zero as a typical change."""
        sums = means(pairs) if by_difference else totals(pairs)
        total = sums and sum(p["candidate"] - p["baseline"] for p in added(pairs))
        return sums is not None and (total <= 0 if change > 0 else total >= 0)

    def arms(i):
        """Each control at the level of a candidate: its own comparison, and the candidate's pairs with it, known and unknown."""
        alike = [c for c, control in zip(primary, is_control) if control and c["conditions"] == primary[i]["conditions"]]
        return [] if is_control[i] else [(c, *against(result, primary[i], c)) for c in alike]

    def settled(i, among):
        """Differs, from every control in the same direction, and by more than the control itself does."""
        found = at(primary[i]["pairs"], among, unknown_in(primary[i]))
        for control, pairs, unknown in arms(i):
            own = at(control["pairs"], sum(is_control), unknown_in(control))
            beyond = outside(own) == 0 or (found and (found[0] > max(0, own[1]) or found[1] < min(0, own[0])))
            if outside(at(pairs, among, unknown)) != outside(found) or contradicts(pairs, outside(found)) or not beyond:
                return False
            if outside(found) and not same_side(pairs, among, unknown, 1, outside(found)):
                return False
        return outside(found) != 0 and same_side(primary[i]["pairs"], among, unknown_in(primary[i]), 1, outside(found))

    differs = set()  # Holm: what is found to differ leaves its share of the error to the rest
    families = [[i for i, control in enumerate(is_control) if control == which] for which in (False, True)]
    for members in families:
        more = True
        while more:
            among = len(members) - len(differs & set(members))
            more = {i for i in set(members) - differs if settled(i, among)}
            differs |= more

    for i, comparison in enumerate(primary):
        pairs, among = comparison["pairs"], len(families[is_control[i]])
        values, change_of = scaled(pairs, by_difference)
        change = change_of(centre(values)) if values else None
        found = at(pairs, among, unknown_in(comparison))
        if found and i in differs and found[0] <= 0 <= found[1]:
            found = (0.0, *found[1:]) if change > 0 else (found[0], 0.0, found[2])
        if not found:
            verdict = "descriptive"
        elif equivalent(pairs, found, unknown_in(comparison), among) and all(
            equivalent(other, at(other, among, unknown), unknown, among) for _, other, unknown in arms(i)
        ):
            verdict = "equivalent"
        elif i in differs and not contradicts(pairs, change):
            verdict = "better" if (change > 0) == (comparison["better"] == "higher") else "worse"
        else:
            verdict = "inconclusive"
        lacking = obstacles(result, definition)
        unknown, own = unknown_in(comparison), 1 - (1 - level) / among
        if drawn and any(len(some) + len(lost) < fewest(own, len(lost)) for some, lost in samples(pairs, unknown)):
            lacking = lacking + [f"{len(pairs)} pairs are too few" + (f" with {len(unknown)} unknown" if unknown else "")]
        if not lacking and not found:
            lacking = ["values of zero leave the interval without a bound"]
        judged.append([comparison, change, found, "descriptive" if lacking else verdict, lacking])
    bad = []
    place = lambda c: (c["conditions"], c["baseline"]["variant"])
    for control in (True, False):  # a control that differs spoils the others at its level and in its group
        for one in (one for i, one in enumerate(judged) if is_control[i] == control):
            failed = failed_checks(result, one[0]) + ([] if control else [name for at, name in bad if at == place(one[0])])
            if failed:
                one[3], one[4] = None, one[4] + failed
            if control and one[3] in ("better", "worse"):
                bad.append((place(one[0]), "control " + one[0]["candidate"]["variant"]))
    return judged


def beside(result, primary):
    """Ratio of totals, and the change in slow seconds, of the same variants: (metric, own change, stated change)."""
    same = lambda c: all(c[key] == primary[key] for key in ("conditions", "scope")) and all(
        c[side]["variant"] == primary[side]["variant"] for side in ("baseline", "candidate"))
    for one in (c for c in result["comparisons"] if same(c) and c["metric"] in ("tps.total", "tps.p10") and len(c["pairs"]) > 1):
        if one["metric"] == "tps.total":
            a, b = (sum(p[side] for p in one["pairs"]) for side in ("baseline", "candidate"))
            own = b / a - 1 if min(a, b) > 0 else None
        else:
            values, change_of = scaled(one["pairs"])
            own = change_of(centre(values))
        yield one["metric"], own, one["change"]
    sides = lambda c: {side: c[side]["variant"] for side in ("baseline", "candidate")}
    for one in result.get("robustness", []):
        if one["conditions"] == primary["conditions"] and {side: one[side] for side in sides(primary)} == sides(primary):
            yield from otherwise(one["variations"], primary)


def otherwise(variations, primary):
    """The ratio of the totals, and the estimate without each pair in turn, of the pairs of the comparison that decides."""
    pairs, by_difference = primary["pairs"], primary["unit"] == "1"
    for one in variations:
        if one["way"] == "totals":
            yield "totals", sum(p["candidate"] for p in added(pairs)) / sum(p["baseline"] for p in added(pairs)) - 1, one["change"]
        for left, stated in enumerate(one.get("changes", [])):
            values, change_of = scaled(pairs[:left] + pairs[left + 1:], by_difference)
            yield f"without pair {left + 1}", change_of(centre(values)), stated


def agree(one, other):
    return one == other or None not in (one, other) and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def result_file(arguments):
    """Path of the result.json that was named, by itself or by its folder."""
    if len(arguments) != 1:
        sys.exit(__doc__)
    path = os.path.join(arguments[0], "result.json") if os.path.isdir(arguments[0]) else arguments[0]
    if not os.path.isfile(path):
        sys.exit(f"{path} is not there: name the folder of a run that has ended, or its result.json.")
    return path


def demand_sealed(path, content):
    """Of a result with a manifest beside it, a file that the manifest does not have is not the result."""
    sums = os.path.join(os.path.dirname(path), "SHA256SUMS")
    if os.path.basename(path) == "result.json" and os.path.isfile(sums):
        with open(sums, encoding="utf-8") as file:
            if f"{hashlib.sha256(content).hexdigest()}  result.json" not in file.read().split("\n"):
                sys.exit(f"{path} is not what SHA256SUMS beside it says. See: npx pgduet verify")


def shown(text):
    """Names are those of whoever made the result: nothing in them may lead the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(text))


def main(path):
    with open(path, "rb") as file:
        content = file.read()
    demand_sealed(path, content)
    try:
        result = json.loads(content)
    except (ValueError, RecursionError) as error:
        sys.exit(f"{path} is not JSON: {error}")
    if not isinstance(result, dict) or result.get("kind") != "pgduet-result":
        sys.exit(f"{path} is not a result of pgduet.")
    try:
        return recompute(result)
    except (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError) as error:
        sys.exit(f"{path} is damaged ({type(error).__name__}: {shown(error)})")


def recompute(result):
    decision, agrees = result["experiment"]["definition"]["decision"], True
    metric = decision["metric"] + ("@" + decision["script"] if decision.get("script") else "")
    for comparison, change, found, verdict, why in judge(result):
        level = "".join(f", {name} {value}" for name, value in comparison["conditions"].items())
        print(shown(f"{comparison['candidate']['variant']} against {comparison['baseline']['variant']}{level}, {metric}, {len(comparison['pairs'])} pairs: "), end="")
        print("nothing to compare" if change is None else f"{change:+.4%}", end="")
        print(f", {found[0]:+.4%} to {found[1]:+.4%} at the {found[2]:.2%} level" if found else ", no interval", end="")
        print(f"; verdict: {verdict or 'withheld'}" + (shown(f" ({'; '.join(dict.fromkeys(why))})") if why else ""))
        stated = comparison["interval"]
        said = [comparison["change"]] + ([stated["low"], stated["high"], stated["level"]] if stated else [])
        own = [change] + list(found or [])
        same = len(said) == len(own) and all(map(agree, said, own))
        for name, own_change, stated_change in beside(result, comparison):
            print(shown(f"  {name}: ") + ("no change" if own_change is None else f"{own_change:+.4%}"))
            same &= agree(own_change, stated_change)
        agrees &= same and comparison["verdict"] == verdict and bool(comparison["withheld"]) == bool(why)
    print("result.json says the same" if agrees else "result.json says something else")
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main(result_file(sys.argv[1:])))
