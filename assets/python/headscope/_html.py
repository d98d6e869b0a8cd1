"""Small tables and maps for notebooks: HTML of numbers and words, every word escaped, no script and no style of others."""

import html
import math
from numbers import Integral, Real

from headscope._numpy import np

MOST_ROWS = 24      # of a table
MOST_CELLS = 64     # along each side of a map
MOST_WORDS = 200
COLD, PAPER, WARM = (59, 76, 192), (247, 247, 247), (180, 4, 38)  # ends of a map of signed numbers, and its middle
CELL = "border:0;padding:0;width:10px;height:10px;min-width:10px"
PLAIN = "border:0;padding:1px 8px;text-align:left;white-space:pre;font-variant-numeric:tabular-nums"


def said(value):
    """A value as text that stands in HTML: escaped, numbers with six digits."""
    if isinstance(value, Real) and not isinstance(value, Integral):
        return html.escape(f"{value:.6g}")
    if isinstance(value, (list, tuple)):
        return html.escape("[" + ", ".join(str(part) for part in value[:8]) + (", ...]" if len(value) > 8 else "]"))
    return html.escape(str(value))


def table(headings, rows):
    """A table; the first MOST_ROWS rows, and how many there are besides."""
    rows = list(rows)
    head = "".join(f'<th style="{PLAIN}">{said(word)}</th>' for word in headings)
    body = "".join("<tr>" + "".join(f'<td style="{PLAIN}">{said(cell)}</td>' for cell in row) + "</tr>"
                   for row in rows[:MOST_ROWS])
    more = f"<div>and {len(rows) - MOST_ROWS} more</div>" if len(rows) > MOST_ROWS else ""
    return f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}'


def colour(value, largest, signed):
    """The colour of a number: paper at 0, warm at the largest size, cold below 0; grey for what is not finite."""
    if not math.isfinite(value):
        return "#bbb"
    share = min(1.0, abs(value) / largest) if largest > 0 else 0.0
    end = COLD if value < 0 and signed else WARM
    return "#" + "".join(f"{round(paper + share * (strong - paper)):02x}" for paper, strong in zip(PAPER, end))


def pixels(numbers, rows=None, columns=None):
    """A map of a matrix [rows, columns]: a cell a number, which a pointer at rest reads."""
    numbers = np.asarray(numbers, dtype=np.float64)
    if max(numbers.shape) > MOST_CELLS:
        return f"<div>{numbers.shape[0]} x {numbers.shape[1]} numbers, too many for a map here</div>"
    finite = numbers[np.isfinite(numbers)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    signed = bool((finite < 0).any())
    lines = []
    for row, values in enumerate(numbers):
        label = rows[row] if rows is not None else row
        cells = "".join(
            f'<td title="{said(label)}, {said(columns[column] if columns is not None else column)}: {said(float(value))}" '
            f'style="{CELL};background:{colour(float(value), largest, signed)}"></td>' for column, value in enumerate(values))
        lines.append(f'<tr><th style="{PLAIN};font-weight:normal">{said(label)}</th>{cells}</tr>')
    return (f'<table style="border-collapse:collapse">{"".join(lines)}</table>'
            f"<div>{said(-largest) if signed else 0} to {said(largest)}</div>")


def titled(name, inside):
    """A part with its name above."""
    return f'<div style="margin-top:6px"><b>{said(name)}</b></div>{inside}'


def of_array(name, value):
    """An array: a map of a matrix, a row of a list, the shape of everything else."""
    if value.dtype.kind not in "biuf" or value.ndim > 2:
        return titled(name, f"<div>{said(value.dtype)} {said(list(value.shape))}</div>")
    return titled(f"{name} {list(value.shape)}", pixels(value[None] if value.ndim == 1 else value))


def of_records(name, records):
    """A table of what the records say in single values."""
    headings = list(dict.fromkeys(field for one in records[:MOST_ROWS] for field, _ in one._scalars()))
    rows = ([dict(one._scalars()).get(field, "") for field in headings] for one in records)
    return titled(name, table(headings, rows)) if headings else titled(name, f"<div>{len(records)}</div>")


def words(name, values):
    """Words, each in its own frame, so that blanks are seen."""
    frame = "border:1px solid #ccc;padding:0 3px;margin:1px;white-space:pre;display:inline-block"
    more = f" and {len(values) - MOST_WORDS} more" if len(values) > MOST_WORDS else ""
    return titled(name, "".join(f'<span style="{frame}">{said(value)}</span>' for value in values[:MOST_WORDS]) + more)


def page(title, scalars, parts):
    """What a notebook shows of a result: its single values, then its maps and tables."""
    return f"<div><b>{said(title)}</b>{table(('', ''), scalars) if scalars else ''}{''.join(parts)}</div>"
