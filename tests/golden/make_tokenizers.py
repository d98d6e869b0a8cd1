#!/usr/bin/env python3
"""Vocabularies trained for the tests, and what independent code makes of a few hundred texts with them.

    /usr/bin/python3 tests/golden/make_tokenizers.py          (Debian: python3-sentencepiece)

byte_level   byte pair encoding over bytes, GPT-2's pattern; trained and run by plain Python
word_piece   BERT's vocab.txt; trained and run by plain Python
unigram      SentencePiece's Unigram trainer and encoder, with a small normalization of its own
byte_pieces  SentencePiece's BPE with bytes for unknown characters, as Llama's
pieces_*     SentencePiece files of eight families, Unigram and BPE, in folders without a tokenizer.json
Each folder gets vectors.jsonl: {"text", "ids"}, and offsets in bytes where plain Python made them.
"""
import random

from tokenizers_byte_level import make_byte_level
from tokenizers_sentence_piece import make_byte_pieces, make_unigram
from tokenizers_sentence_piece_files import make_sentence_piece_files
from tokenizers_word_piece import make_word_piece

if __name__ == "__main__":
    make_byte_level(random.Random(1))
    make_word_piece(random.Random(2))
    make_unigram(random.Random(3))
    make_byte_pieces(random.Random(4))
    make_sentence_piece_files(random.Random(5))
