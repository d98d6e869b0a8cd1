"""A small grammar of English sentences in which `it` stands for one of the nouns, and the adjective says for which."""

import random

# Nouns and the adjectives that fit them. Where a sentence holds two nouns, its adjective fits one of them alone.
FAMILIES = [
    ("animal dog cat horse fox bird rabbit lion monkey", "tired hungry thirsty scared lazy sleepy sick angry shy"),
    ("street road river bridge lane path tunnel highway", "wide narrow steep slippery muddy deep busy"),
    ("box crate cart piano statue barrel trunk wardrobe", "heavy bulky fragile huge"),
    ("soup bread cake stew pie salad pizza cheese", "stale salty sweet spicy burnt tasty hot cold"),
    ("coffee tea milk juice water lemonade", "bitter sour warm hot cold sweet"),
    ("coat shirt shoe hat glove dress jacket scarf", "tight torn woolen loose faded itchy"),
    ("train bus truck boat tram plane ferry taxi", "late crowded delayed fast slow"),
    ("book story film song poem novel speech letter", "boring funny sad famous long short"),
    ("engine radio fan pump printer drill robot computer", "noisy faulty outdated rusty broken slow"),
    ("room house tower hall cabin office castle kitchen", "tall empty bright dark cosy cold"),
    ("knife axe dagger needle chisel razor sword spear", "sharp blunt dangerous bent rusty"),
    ("rope chain wire cable string belt ribbon thread", "thin knotted tangled stiff short long"),
    ("exam puzzle lesson task game quiz question riddle", "hard easy unfair tricky simple boring"),
    ("tree flower rose bush plant oak hedge vine", "green dead wilted thorny tall"),
    ("ring bracelet necklace diamond painting vase camera phone", "expensive cheap valuable rare fragile"),
]
FAMILIES = [(nouns.split(), adjectives.split()) for nouns, adjectives in FAMILIES]
NOUNS = {noun for nouns, _ in FAMILIES for noun in nouns}

# Base form and past.
VERBS = (
    "cross/crossed push/pushed carry/carried reach/reached enter/entered leave/left follow/followed touch/touched "
    "see/saw use/used move/moved hold/held open/opened pass/passed like/liked want/wanted find/found watch/watched "
    "hear/heard lift/lifted take/took buy/bought sell/sold clean/cleaned chase/chased eat/ate drink/drank need/needed "
    "notice/noticed finish/finished"
)
VERBS = [tuple(pair.split("/")) for pair in VERBS.split()]
NEGATIONS = ["didn't", "couldn't", "wouldn't", "can't", "won't", "did not", "could not", "will not"]
DETERMINERS = ["the", "the", "the", "a", "this", "that", "my", "our", "his", "her"]
PEOPLE = ["i", "we", "she", "he", "they", "mary", "john", "anna", "tom", "nobody"]
PREPOSITIONS = ["across", "into", "through", "near", "with", "behind", "under", "on", "in", "from", "to"]
CONJUNCTIONS = ["because", "because", "because", "since", "as", "although", "but"]
BE = ["was", "was", "is", "seemed", "looked", "became"]
DEGREES = ["too", "too", "so", "very", "really", "quite"]
OPENINGS = ["yesterday", "today", "sometimes", "often", "i think", "we know that", "she said that", "in the morning"]
CLOSINGS = ["yesterday", "again", "at night", "in the morning"]
NEUTRAL = ["old", "new", "little", "other"]
STOPS = [".", ".", "!", ""]

SPECIAL = ["[PAD]", "[UNK]", "[MASK]"]


def _held_out_pairs(rows, columns, share, rng):
    """About `share` of rows x columns, at most that share of any row or column (rounded up)."""
    pairs = set()
    by_row, by_column = {}, {}
    candidates = [(row, column) for row in rows for column in columns]
    rng.shuffle(candidates)
    for row, column in candidates:
        if by_row.get(row, 0) < -(-share * len(columns) // 1) and by_column.get(column, 0) < -(-share * len(rows) // 1):
            if len(pairs) < share * len(rows) * len(columns):
                pairs.add((row, column))
                by_row[row] = by_row.get(row, 0) + 1
                by_column[column] = by_column.get(column, 0) + 1
    return pairs


def held_out():
    """Pairs that no training sentence joins: (noun, adjective that says what `it` is), and (noun, verb's base form)."""
    rng = random.Random(20)
    adjectives = {("animal", "tired"), ("street", "wide")}
    for nouns, fitting in FAMILIES:
        adjectives |= _held_out_pairs(nouns, fitting, 0.12, rng)
    every_noun = [noun for nouns, _ in FAMILIES for noun in nouns]
    verbs = _held_out_pairs(every_noun, [base for base, _ in VERBS], 0.08, rng)
    return adjectives, verbs


NEW_ADJECTIVES, NEW_VERBS = held_out()


def vocabulary():
    """Special tokens first, then every word that a sentence can hold, sorted."""
    words = set()
    for nouns, adjectives in FAMILIES:
        words |= {*nouns, *adjectives}
    for pair in VERBS:
        words |= set(pair)
    for group in (NEGATIONS, DETERMINERS, PEOPLE, PREPOSITIONS, CONJUNCTIONS, BE, DEGREES, OPENINGS, CLOSINGS, NEUTRAL):
        words |= {word for phrase in group for word in phrase.split()}
    return SPECIAL + [".", ",", "!", "?"] + sorted(words | {"it", "an"})


def _noun_phrase(noun, rng):
    """Determiner, sometimes an adjective that fits every noun, noun."""
    determiner = rng.choice(DETERMINERS)
    words = [rng.choice(NEUTRAL), noun] if rng.random() < 0.12 else [noun]
    if determiner == "a" and words[0][0] in "aeiou":
        determiner = "an"
    return [determiner, *words]


def sentence(rng, new=None):
    """A sentence: (words, index of `it`, noun that it stands for).

    new: None for training; "adjective": the noun and the adjective were never joined in training; "verb": neither was
    the noun with the verb; "both": both at once.
    """
    while True:
        count = rng.choice([1, 2, 2, 2, 2, 3, 3])
        families = rng.sample(range(len(FAMILIES)), count)
        nouns = [rng.choice(FAMILIES[family][0]) for family in families]
        meant = rng.randrange(count)
        adjective = rng.choice(FAMILIES[families[meant]][1])
        if any(adjective in FAMILIES[family][1] for family in families if family != families[meant]):
            continue
        base, past = rng.choice(VERBS)
        new_adjective = (nouns[meant], adjective) in NEW_ADJECTIVES
        new_verb = (nouns[meant], base) in NEW_VERBS
        any_new_verb = any((noun, base) in NEW_VERBS for noun in nouns)
        wanted = {
            None: not new_adjective and not any_new_verb,
            "adjective": new_adjective and not any_new_verb,
            "verb": not new_adjective and new_verb,
            "both": new_adjective and new_verb,
        }
        if wanted[new]:
            break
    words = _compose(rng, nouns, (base, past), adjective)
    return words, words.index("it"), nouns[meant]


def _compose(rng, nouns, verb, adjective):
    """The words of a sentence in which `it` is so. verb: base form and past."""
    base, past = verb
    verb = [past] if rng.random() < 0.35 else [*rng.choice(NEGATIONS).split(), base]
    if len(nouns) == 1 or rng.random() < 0.15:
        subject, rest = [rng.choice(PEOPLE)], nouns
    else:
        subject, rest = _noun_phrase(nouns[0], rng), nouns[1:]
    clause = subject + verb + _noun_phrase(rest[0], rng)
    for noun in rest[1:]:
        clause += [rng.choice(PREPOSITIONS), *_noun_phrase(noun, rng)]
    if rng.random() < 0.15:
        clause += rng.choice(CLOSINGS).split()
    if rng.random() < 0.25:
        clause = rng.choice(OPENINGS).split() + clause

    degree = [rng.choice(DEGREES)] if rng.random() < 0.85 else []
    reason = ["it", rng.choice(BE), *degree, adjective]
    if rng.random() < 0.15:
        words = [rng.choice(["because", "since", "as", "although"]), *reason, ","] + clause
    else:
        comma = [","] if rng.random() < 0.15 else []
        words = clause + comma + [rng.choice(CONJUNCTIONS), *reason]
    stop = rng.choice(STOPS)
    if stop:
        words.append(stop)
    return words


def pair(rng, new=False, plain=False):
    """Two sentences that differ in the adjective alone, each (words, index of `it`, noun that it stands for).

    The words of two families anew: any noun with any adjective that fits it and not the other one, and any verb.
    new: at least one noun and its adjective were never joined in training. plain: `the A didn't VERB the B because it was
    too ADJECTIVE`, else any sentence of the grammar.
    """
    while True:
        families = [FAMILIES[number] for number in rng.sample(range(len(FAMILIES)), 2)]
        nouns = [rng.choice(nouns) for nouns, _ in families]
        fitting = [
            [adjective for adjective in adjectives if adjective not in others]
            for (_, adjectives), (_, others) in zip(families, reversed(families))
        ]
        if not all(fitting):
            continue
        adjectives = [rng.choice(those) for those in fitting]
        if not new or any(joined in NEW_ADJECTIVES for joined in zip(nouns, adjectives)):
            break
    verb, frame = rng.choice(VERBS), rng.random()
    sentences = []
    for noun, adjective in zip(nouns, adjectives):
        words = _compose(random.Random(frame), nouns, verb, adjective)
        if plain:
            words = f"the {nouns[0]} didn't {verb[0]} the {nouns[1]} because it was too {adjective}".split()
        sentences.append((words, words.index("it"), noun))
    return sentences
