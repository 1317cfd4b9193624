"""Carries out snippets of the documentation in the working folder, and prints the table that each of them shows, as JSON.

Usage: python3 execute.py '[{"language": "sql", "code": "..."}, ...]'
"""

import json
import sys

import duckdb


def carry_out(language, code):
    if language == "sql":
        return duckdb.sql(code)
    printed = []
    exec(code, {"print": printed.append})
    (shown,) = printed
    return shown


def table(language, code):
    try:
        shown = carry_out(language, code)
        if isinstance(shown, duckdb.DuckDBPyRelation):
            return {"columns": shown.columns, "rows": shown.fetchall()}
        return {"columns": list(shown.columns), "rows": shown.values.tolist()}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


print(json.dumps([table(**snippet) for snippet in json.loads(sys.argv[1])]))
