"""The verbs of linda: training a model that interpolates texts, and texts between texts."""
