"""The table of commands against what headscope-cli lists: table_test.py HEADSCOPE_CLI"""
import inspect
import math
import os
import pathlib
import re
import stat
import tempfile
import typing
import unittest
import unittest.mock

from package import CLI, as_json, said

import numpy as np

import headscope
from headscope import _commands

ON = ("--model", "demo:induction", "--phrase", "cat box ink fox cat")


class Table(unittest.TestCase):
    def test_every_command_of_the_program_is_a_function_or_says_why_not(self):
        listed = set(re.findall(r"^headscope-cli ([a-z]\S*) ", said("--help"), re.M))
        self.assertGreater(len(listed), 20)
        self.assertEqual(listed, set(_commands.names()))
        for name in listed:
            row = _commands.COMMANDS[name]
            if row.why_not:
                with self.assertRaisesRegex(AttributeError, re.escape(row.why_not)):
                    getattr(headscope, name)
            else:
                self.assertTrue(callable(getattr(headscope, name)), name)
                self.assertIn(name, headscope.__all__)
                self.assertTrue(getattr(headscope, name).__doc__, name)
        self.assertEqual(set(_commands.COMMANDS) - listed, set(), "rows of commands that are gone")

    def test_what_functions_name_are_options_of_their_commands_and_typed(self):
        for name, row in _commands.COMMANDS.items():
            if row.why_not or row.own:
                continue
            options = set(re.findall(r"^  --([\w-]+)", said(name, "--help"), re.M))
            signature = inspect.signature(getattr(headscope, name))
            self.assertIn("return", typing.get_type_hints(getattr(headscope, name)), name)
            for parameter in signature.parameters.values():
                self.assertIsNot(parameter.annotation, inspect.Parameter.empty, f"{name}: {parameter.name}")
                if parameter.kind is inspect.Parameter.VAR_KEYWORD or parameter.name in (*row.places, "arrays"):
                    continue
                self.assertIn(parameter.name.rstrip("_").replace("_", "-"), options, name)

    def test_stages_of_a_model_are_those_that_help_names(self):
        text = " ".join(said("run", "--help").split())
        named = re.search(r"also of the whole model, by name: ([\w, ]+);", text)[1]
        self.assertEqual(tuple(named.split(", ")), headscope._run.MODEL_STAGES)

    def test_a_command_that_the_table_does_not_know_comes_by_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "headscope-cli")
            program.write_text(f"""#!/bin/sh
case $1 in
  --help) '{CLI}' --help; echo 'headscope-cli novel REQUEST [--json]' ;;
  novel) echo '{{"way": "'"$*"'", "terms": [[1.5, "nan"], ["inf", 2]], "parts": [{{"token": "nan", "from": 3}}]}}' ;;
  *) exec '{CLI}' "$@" ;;
esac
""")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            with unittest.mock.patch.dict(os.environ, HEADSCOPE=str(program)):
                found = headscope.novel(phrase="a b", top_k=3)
                self.assertEqual(found.way, "novel --phrase a b --top-k 3 --json")
                np.testing.assert_array_equal(found.terms, [[1.5, math.nan], [math.inf, 2]])
                self.assertEqual((found.parts[0].token, found.parts[0].from_), ("nan", 3))
                of_model = headscope.Model("m", ablate="0.1").novel("a b", top_k=3)
                self.assertEqual(of_model.way, "novel --model m --ablate 0.1 --top-k 3 --phrase a b --json")
        for has_not in (headscope, headscope.Model("m")):
            with self.assertRaises(AttributeError):
                has_not.novel

    def test_every_command_of_a_model_is_a_method_of_one(self):
        model = headscope.Model("m")
        for name, row in _commands.COMMANDS.items():
            self.assertEqual(hasattr(model, name), row.of_model and not row.why_not, name)
        with self.assertRaisesRegex(AttributeError, "headscope.report is of no model"):
            model.report

    def test_a_key_that_a_newer_program_prints_is_an_attribute(self):
        printed = {**as_json("attribute", *ON, "--at", "4", "--token", "box"), "mean": [0.5, "nan"], "pairs": 3}
        found = headscope.Attribution.read(printed)
        self.assertEqual(found.pairs, 3)
        self.assertTrue(math.isnan(found.mean[1]))
        # What has another shape is all there, too: pairs of a sweep, as the contract has them.
        del printed["total"]
        self.assertIsInstance(headscope.Attribution.read(printed), headscope.Answer)
        self.assertEqual(headscope.Attribution.read(printed).pairs, 3)
        pairs = headscope.Sweep.read({"metric": "loss", "pairs": 2, "cells": [
            {"layer": 1, "head": 0, "position": None, "stage": "z", "mean": 0.5, "standard_error": "nan", "same_sign": 1.0}]})
        np.testing.assert_array_equal(pairs.values, [[math.nan], [0.5]])
        np.testing.assert_array_equal(pairs.array("same_sign"), [[math.nan], [1.0]])
        self.assertIn("<table", pairs._repr_html_())


if __name__ == "__main__":
    unittest.main()
