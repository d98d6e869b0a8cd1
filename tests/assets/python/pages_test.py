"""What notebooks show of results: pages_test.py HEADSCOPE_CLI"""
import html.parser
import unittest

import package  # noqa: F401  finds the package

import numpy as np

import headscope

MODEL, TEXT, OTHER = "demo:induction", "cat box ink fox cat", "dog box ink fox dog"
IN = dict(model=MODEL, phrase=TEXT)


class Balanced(html.parser.HTMLParser):
    """Raises AssertionError for tags that are not closed in their order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data):
        self.words.append(data)


class Pages(unittest.TestCase):
    def test_results_are_small_pages(self):
        q = np.random.default_rng(1).standard_normal((1, 2, 2, 4))
        sweep = dict(metric="logit:box-ink", against={"phrase": OTHER}, **IN)
        for found, tags in ((headscope.run(**IN), 100), (headscope.attribute(at=4, token="box", by="heads", **IN), 50),
                            (headscope.sweep(patch="heads", **sweep), 30), (headscope.lens(**IN), 40),
                            (headscope.score(layer=1, head=7, at=(4, 1), **IN), 100), (headscope.precision(**IN), 50),
                            (headscope.gradients(metric="logit:box", **IN), 20), (headscope.circuits(model=MODEL), 50),
                            (headscope.compare(against={"phrase": OTHER}, **IN), 50), (headscope.generate(tokens=2, **IN), 10),
                            (headscope.explain(stage="weights", at=(0, 2, 3, 1), **IN), 20),
                            (headscope.sensitivity(stage="weights", at=(0, 7, 4, 1), **IN), 20),
                            (headscope.info(MODEL), 20), (headscope.doctor(), 10), (headscope.tokenize(**IN), 5),
                            (headscope.diagnose(q.swapaxes(1, 2), q=q, k=q, v=q), 4)):
            page = found._repr_html_()
            self.assertGreaterEqual(len(Balanced(page).tags), tags, type(found).__name__)
            self.assertLess(len(page), 200_000)
            self.assertLess(len(repr(found)), 6_000, type(found).__name__)

    def test_words_are_escaped(self):
        word = "<script>alert('1')</script> & \"x\""
        run = headscope.run(phrase="<i>a</i> \"b\"", heads=1, d_model=4)
        tokens = headscope.Tokens.read({"ids": [1], "tokens": [word], "offsets": [[0, 1]]})
        other = headscope.Answer.read({word: word, "rows": [{"a": word}]})
        for found in (run, tokens, headscope.Lens("k", word, [word], [word], np.array([0]), np.array([[word]], object),
                                                  np.array([[1]]), np.array([[1.0]]), np.array([[0.5]]))):
            self.assertFalse({"script", "i"} & set(Balanced(found._repr_html_()).tags))
        self.assertIn(word, "".join(Balanced(tokens._repr_html_()).words))
        self.assertNotIn("script", Balanced(other._repr_html_()).tags)


if __name__ == "__main__":
    unittest.main()
