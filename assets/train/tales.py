"""A grammar of short tales in which names, pronouns and things come again, and who is meant follows from the tale."""

import random

WOMEN = """Anna Mary Lucy Emma Sarah Alice Clara Nora Rose Jane Helen Ruth Julia Laura Maria Sophie Grace Ella Ida Martha
Olga Nina Vera Irene Amy Kate Lily Molly Eve Hannah""".split()
MEN = """Tom John Peter Jack Paul Henry Simon Mark Adam Oscar Ben David Luke Max Leo Hugo Felix George Frank Karl Daniel
Martin Noah Arthur Victor Philip Ralph Sam Walter Ivan""".split()
COLOURS = "red blue green yellow white black brown grey orange purple pink silver golden".split()
SIZES = "big small little huge tiny long short old new round heavy light pretty plain strange clean broken".split()
THINGS = """ball kite book hat bag cup lamp coat drum box key clock ring map pen doll boat basket blanket candle coin bell
flute jar knife letter mirror needle pillow plate rope scarf shell shirt spoon stick stone sword toy umbrella watch whistle
wheel brush button camera chair bottle bowl bucket ticket guitar hammer ladder lantern necklace notebook painting pencil
picture puzzle radio ribbon rug saddle shovel stamp telescope tent tray trumpet vase violin wagon wallet""".split()
FOODS = """apple pear plum cake pie loaf cookie egg carrot potato onion sandwich melon peach lemon banana pancake sausage
tomato cherry orange turnip""".split()
ANIMALS = """dog cat horse bird fox rabbit mouse bear lion monkey duck goat sheep cow pig frog turtle owl hen goose donkey
wolf snake bee squirrel crow deer camel parrot pony""".split()
PLACES = """park market school garden beach farm forest river library kitchen station museum church castle shop village
harbour lake hill cellar attic bakery barn bridge field mill stable theatre tower town zoo workshop""".split()
FURNITURE = "bed table chair desk shelf sofa bench cupboard door tree stove window fence wall cart".split()
FEELINGS = "happy sad tired angry hungry thirsty proud scared surprised lonely excited bored worried sleepy calm".split()
WEATHERS = """It was a sunny day.|It was raining.|It was very cold that morning.|The wind was strong.|Snow was falling.|
The night was dark.|It was early in the morning.|The sun was going down.""".replace("\n", "").split("|")
TRADES = """baker farmer teacher doctor sailor king queen soldier painter tailor miller hunter fisherman singer gardener
carpenter smith nurse driver cook writer judge knight shepherd""".split()
# The adjective says which noun 'it' stands for: what moves, what it does, what is passed; then why it or the other.
CANNOT = [
    (ANIMALS, "cross", "street road river bridge field".split(), "tired scared hungry small lazy weak".split(),
     "wide busy muddy deep long dangerous".split()),
    ("box piano statue chest barrel table".split(), "fit through", "door gate window tunnel".split(),
     "big wide heavy large tall".split(), "narrow small low tight".split()),
    ("truck bus wagon cart carriage".split(), "climb", "hill road mountain".split(), "heavy slow old weak full".split(),
     "steep icy slippery high".split()),
    (THINGS, "go into", "box bag drawer basket".split(), "big long wide large thick".split(), "small full tiny narrow".split()),
]


class Teller:
    """One tale: whom and what it is about. rng: random.Random."""

    def __init__(self, rng):
        self.rng = rng
        women = rng.sample(WOMEN, 2)
        men = rng.sample(MEN, 2)
        people = [(name, "she", "her", "her") for name in women] + [(name, "he", "him", "his") for name in men]
        self.people = rng.sample(people, 3)

    def one(self, words):
        return self.rng.choice(words)

    def thing(self):
        """('red', 'kite'): a describing word and a thing."""
        return self.one(COLOURS + SIZES), self.one(THINGS)


def a(word):
    return ("an " if word[0] in "aeiou" else "a ") + word


def giving(t):
    (giver, she, her, _), (taker, he, _, _), (third, *_) = t.people
    colour, thing = t.thing()
    lines = [f"{giver} had {a(colour)} {thing}.", f"{giver} gave the {thing} to {taker}."]
    lines.append(t.one([f"{taker} thanked {giver} and put the {thing} on the {t.one(FURNITURE)}.",
                        f"{taker} was {t.one(FEELINGS)} because {giver} gave away the {colour} {thing}.",
                        f'"Thank you, {giver}," said {taker}.']))
    if t.rng.random() < 0.5:
        lines.append(f"Then {third} came and asked {taker} for the {thing}, and {taker} gave the {thing} to {third}.")
        lines.append(f"Now {third} had the {colour} {thing}.")
    else:
        lines.append(f"Now {taker} had the {colour} {thing}, and {giver} had nothing.")
    return lines


def going(t):
    (first, she, her, _), (second, he, him, _), (third, they, *_) = t.people
    _, thing = t.thing()
    place = t.one(PLACES)
    start = t.one([f"When {first} and {second} went to the {place},", f"After {first} and {second} came to the {place},",
                   f"While {first} and {second} were working at the {place},",
                   f"Then {first} and {second} had a long talk at the {place}, and"])
    giver, taker = t.rng.sample([first, second], 2)
    verb = t.one("gave handed offered showed sold".split())
    lines = [f"{start} {giver} {verb} {a(t.one([thing, t.one(FOODS)]))} to {taker}."]
    lines.append(t.one([f"{third} saw {giver} and {taker} there.", f"Later {giver} and {taker} went home.",
                        f"{taker} was {t.one(FEELINGS)}, and so was {giver}."]))
    return lines


def losing(t):
    (owner, she, her, hers), (friend, *_), _ = t.people
    colour, thing = t.thing()
    here, there = t.rng.sample(PLACES, 2)
    under = t.one(FURNITURE)
    return [f"{owner} lost {hers} {colour} {thing} at the {here}.",
            f"{she.capitalize()} looked in the {there}, but the {thing} was not in the {there}.",
            f'"Where is my {thing}?" {she} asked {friend}.',
            t.one([f'"Your {thing} is under the {under}," said {friend}.', f"{friend} found the {colour} {thing} under the {under}."]),
            f"So {owner} looked under the {under} and found {hers} {thing}.",
            f"{owner} was {t.one(FEELINGS)} because {she} had {hers} {colour} {thing} again."]


def reasons(t):
    movers, verb, passed, of_mover, of_passed = t.one(CANNOT)
    mover, place = t.one(movers), t.one(passed)
    because = t.one([f"because it was too {t.one(of_mover)}", f"because it was too {t.one(of_passed)}"])
    no = t.one(["did not", "didn't", "could not", "couldn't"])
    lines = [f"The {mover} {no} {verb} the {place} {because}."]
    (name, she, her, _), *_ = t.people
    lines.append(t.one([f"{name} saw the {mover} and the {place}.", f"So the {mover} stayed where it was.",
                        f"{name} waited for the {mover} until {she} was {t.one(FEELINGS)}."]))
    return lines


def choosing(t):
    (first, she, her, hers), (second, he, him, his), _ = t.people
    one, other = t.rng.sample(FOODS, 2)
    lines = [f"{first} bought {a(one)} and {second} bought {a(other)} at the {t.one(PLACES)}."]
    for name, food in t.rng.sample([(first, one), (second, other)], 2):
        lines.append(f"{name} ate the {food}.")
    lines.append(f"{first} liked {hers} {one}, and {second} liked {his} {other}.")
    return lines


def asking(t):
    (first, she, *_), (second, he, *_), _ = t.people
    colour, thing = t.thing()
    place = t.one(PLACES)
    return [f'"Where is the {colour} {thing}?" asked {first}.', f'"The {thing} is in the {place}," said {second}.',
            f'"Thank you, {second}," said {first}, and {she} went to the {place} to get the {colour} {thing}.']


def listing(t):
    (name, she, *_), *_ = t.people
    animals = t.rng.sample(ANIMALS, t.rng.randint(2, 4))
    colours = [t.one(COLOURS + SIZES) for _ in animals]
    pairs = list(zip(colours, animals))
    seen = ", ".join(f"{a(colour)} {animal}" for colour, animal in pairs[:-1])
    lines = [f"At the {t.one(PLACES)} {name} saw {seen} and {a(pairs[-1][0])} {pairs[-1][1]}."]
    for colour, animal in t.rng.sample(pairs, len(pairs)):
        lines.append(t.one([f"The {animal} was {colour}.", f"{she.capitalize()} gave {a(t.one(FOODS))} to the {colour} {animal}."]))
    return lines


def trades(t):
    first, second = t.rng.sample(TRADES, 2)
    colour, thing = t.thing()
    place = t.one(PLACES)
    wish = t.one(FOODS)
    return [f"Once upon a time there was {a(first)} who lived near {a(place)}.",
            f"The {first} had {a(colour)} {thing} but no {wish}.",
            f"One day {a(second)} came to the {place} with {a(wish)}.",
            f'"Give me the {thing} and I will give you the {wish}," said the {second}.',
            f"So the {first} gave the {colour} {thing} to the {second}, and the {second} gave the {wish} to the {first}."]


def feeling(t):
    people = t.people
    feelings = t.rng.sample(FEELINGS, 3)
    lines = [f"{name} was {how}." for (name, *_), how in zip(people, feelings)]
    for (name, she, *_), how in t.rng.sample(list(zip(people, feelings)), 2):
        lines.append(t.one([f"{name} went home because {she} was {how}.", f"{name} said that {she} was {how}.",
                            f'"Why are you {how}?" somebody asked {name}.']))
    return lines


SCHEMES = [giving, giving, going, going, going, losing, reasons, reasons, choosing, asking, listing, trades, feeling]


def tale(rng):
    """A tale of two to about fifteen sentences in one line."""
    teller = Teller(rng)
    lines = [teller.one(WEATHERS)] if rng.random() < 0.2 else []
    for scheme in rng.sample(SCHEMES, rng.choice([1, 1, 2, 3])):
        lines += scheme(teller)
    return " ".join(lines)


def tales(count, seed):
    rng = random.Random(seed)
    return [tale(rng) for _ in range(count)]
