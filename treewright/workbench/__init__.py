"""The workbench: treebanks and grammars in a browser, on the loopback interface.

Pages are made on the server and need no script. A page is a function of what is open and of the
address alone, so the same address gives the same page.
"""
