"""Measures of what augmentation made, each a function of one or two corpora."""
