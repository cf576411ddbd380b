"""The verbs of classify: training, prediction, evaluation, and the choice of a method or none."""
