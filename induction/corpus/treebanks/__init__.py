"""Treebanks of others: NEGRA export, TIGER-XML, discbracket, numbered and escaped brackets."""
