"""The few-shot benchmark: data, what is compared, cells as files, and what they say together."""
