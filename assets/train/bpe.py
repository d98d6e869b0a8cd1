"""A byte-level BPE tokenizer, learned from text and written as tokenizer.json.

Every byte is a piece, so that no text is unknown; pieces are written with the 256 printable letters of GPT-2's format.
"""

import collections
import json
import os
import re

# Words with the blank before them, contractions, numbers, signs, blanks: merges never cross the end of one. Of ASCII, which
# all training texts are, GPT-2's pattern finds the same.
CHUNK = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")
END = "<|endoftext|>"


def byte_letters():
    """The letter of every byte: itself where it is printable and no blank, else the next letter from 256 on."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)]
    letters = {byte: chr(byte) for byte in printable}
    for byte in range(256):
        if byte not in letters:
            letters[byte] = chr(256 + len(letters) - len(printable))
    return letters


LETTERS = byte_letters()


def spelled(text):
    """`text` as letters of its UTF-8 bytes."""
    return "".join(LETTERS[byte] for byte in text.encode())


class Merges:
    """Words as lists of pieces with their counts, and the pairs of neighbours in them."""

    def __init__(self, counts):
        self.words = [(list(spelled(word)), count) for word, count in sorted(counts.items())]
        self.counts = collections.Counter()
        self.places = collections.defaultdict(set)  # pair -> indices of words that may hold it
        for index in range(len(self.words)):
            self._count(index, 1)

    def _count(self, index, sign):
        pieces, count = self.words[index]
        for pair in zip(pieces, pieces[1:]):
            self.counts[pair] += sign * count
            self.places[pair].add(index)

    def most_frequent(self):
        """The most frequent pair; of equals the first in the order of the letters."""
        return min(self.counts, key=lambda pair: (-self.counts[pair], pair))

    def merge(self, pair):
        for index in self.places.pop(pair):
            self._count(index, -1)
            pieces, count = self.words[index]
            self.words[index] = (merged(pieces, pair), count)
            self._count(index, 1)
        del self.counts[pair]


def merged(pieces, pair):
    """`pieces` with every occurrence of the pair, from the left, as one piece."""
    result, place = [], 0
    while place < len(pieces):
        if tuple(pieces[place : place + 2]) == pair:
            result.append(pieces[place] + pieces[place + 1])
            place += 2
        else:
            result.append(pieces[place])
            place += 1
    return result


def learn(texts, size):
    """The merges of a vocabulary of `size` pieces: END, the bytes, one for each merge."""
    counts = collections.Counter(chunk for text in texts for chunk in CHUNK.findall(text))
    # What came once is a name or a slip: no piece is worth it.
    state = Merges({word: count for word, count in counts.items() if count > 1})
    merges = []
    while len(merges) < size - 257:
        pair = state.most_frequent()
        merges.append(pair)
        state.merge(pair)
    return merges


class Tokenizer:
    """Text to ids, as any reader of the written tokenizer.json does it."""

    def __init__(self, merges):
        pieces = [END, *sorted(LETTERS.values()), *(left + right for left, right in merges)]
        self.merges = merges
        self.ids = {piece: number for number, piece in enumerate(pieces)}
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.known = {}

    def _of_chunk(self, chunk):
        if chunk not in self.known:
            pieces = list(spelled(chunk))
            while len(pieces) > 1:
                pair = min(zip(pieces, pieces[1:]), key=lambda pair: self.ranks.get(pair, len(self.ranks)))
                if pair not in self.ranks:
                    break
                pieces = merged(pieces, pair)
            self.known[chunk] = [self.ids[piece] for piece in pieces]
        return self.known[chunk]

    def encode(self, text):
        return [number for chunk in CHUNK.findall(text) for number in self._of_chunk(chunk)]

    def write(self, path):
        description = {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [
                {"id": 0, "content": END, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
                 "special": True}
            ],
            "normalizer": None,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
            "post_processor": None,
            "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "vocab": self.ids,
                      "merges": [f"{left} {right}" for left, right in self.merges]},
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(description, file, ensure_ascii=False, indent=0)
            file.write("\n")


def read(path):
    """The tokenizer of a file that write() made."""
    with open(path, encoding="utf-8") as file:
        merges = json.load(file)["model"]["merges"]
    return Tokenizer([tuple(merge.split(" ")) for merge in merges])


def learn_once(path, texts, size):
    """The tokenizer of `path`; where there is none yet, it is learned from `texts()` and written."""
    if not os.path.exists(path):
        Tokenizer(learn(texts(), size)).write(path)
    return read(path)
