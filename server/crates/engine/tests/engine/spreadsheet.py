"""Prints the cells of a table in LibreOffice's flat XML as JSON: a list of rows of [formula, type, what the cell holds]."""

import json
import sys
from xml.etree import ElementTree

OFFICE, TABLE, TEXT = ("{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}" % name for name in ("office", "table", "text"))


def said(element):
    """What a paragraph says: spaces in a row, tabs and line breaks are elements of their own."""
    words = element.text or ""
    for child in element:
        if child.tag == TEXT + "s":
            words += " " * int(child.get(TEXT + "c", "1"))
        elif child.tag == TEXT + "tab":
            words += "\t"
        elif child.tag == TEXT + "line-break":
            words += "\n"
        else:
            words += said(child)
        words += child.tail or ""
    return words


def cells(row):
    for cell in row:
        paragraphs = "\n".join(said(paragraph) for paragraph in cell.findall(TEXT + "p"))
        held = cell.get(OFFICE + "value", paragraphs)
        one = [cell.get(TABLE + "formula"), cell.get(OFFICE + "value-type"), held]
        # Equal cells beside each other are one element; the empty ones behind the last go on to the end of the sheet.
        yield from [one] * min(int(cell.get(TABLE + "number-columns-repeated", "1")), 100)


rows = (list(cells(row)) for row in ElementTree.parse(sys.argv[1]).iter(TABLE + "table-row"))
json.dump([row for row in rows if any(cell[1] for cell in row)], sys.stdout)
