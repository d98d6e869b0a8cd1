"""English that Debian packages ship and that may be used, as lists of short documents in plain ASCII.

    apt-get install bible-kjv wordnet-base dict-jargon dict-devil
"""

import gzip
import re
import subprocess
import unicodedata

WORDNET = "/usr/share/wordnet/data.{}"
DICTIONARY = "/usr/share/dictd/{}.dict.dz"


def plain(text):
    """ASCII letters alone, typographic signs by their simple forms, one blank between words."""
    for sign, simple in {"“": '"', "”": '"', "‘": "'", "’": "'", "—": " - ", "–": "-", "…": "..."}.items():
        text = text.replace(sign, simple)
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"\s+", " ", text).strip()


def bible():
    """The King James Version (1611, public domain), a few verses of one chapter each."""
    shown = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], capture_output=True, text=True, check=True).stdout
    documents, verses, chapter = [], [], None
    for line in shown.splitlines():
        place, _, verse = line.partition(" ")
        if place.partition(":")[0] != chapter or sum(map(len, verses)) > 600:
            documents.append(plain(" ".join(verses)))
            chapter, verses = place.partition(":")[0], []
        verses.append(verse)
    return [document for document in [*documents, plain(" ".join(verses))] if document]


def wordnet():
    """WordNet 3.0 (Princeton University, WordNet licence): 'Word: what it means. "An example."', one a meaning."""
    documents = []
    for part in ("noun", "verb", "adj", "adv"):
        with open(WORDNET.format(part), encoding="ascii", errors="ignore") as file:
            for line in file:
                if line.startswith("  ") or "|" not in line:
                    continue
                fields, _, gloss = line.partition("|")
                word = fields.split()[4].replace("_", " ").partition("(")[0]
                meaning, *examples = gloss.strip().split('; "')
                sentences = [f"{word[0].upper()}{word[1:]}: {meaning}."]
                for example in examples:
                    example = example.strip().strip('";').strip()
                    if example:
                        sentences.append(f"{example[0].upper()}{example[1:]}" + ("" if example[-1] in ".?!" else "."))
                documents.append(plain(" ".join(sentences)))
    return documents


def dictionary(name):
    """Paragraphs of a dictionary in dictd's format: the Jargon File, The Devil's Dictionary (both public domain)."""
    with gzip.open(DICTIONARY.format(name), "rt", encoding="utf-8") as file:
        paragraphs = re.split(r"\n\s*\n", file.read())
    documents = [plain(paragraph) for paragraph in paragraphs]
    return [document for document in documents if len(document) > 60 and document.count("-") < len(document) / 20]
