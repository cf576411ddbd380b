"""Trained classifiers as ONNX models, for programs without Python or without Treewright."""
