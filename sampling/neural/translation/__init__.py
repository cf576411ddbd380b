"""Back-translation: texts to another language and back."""
