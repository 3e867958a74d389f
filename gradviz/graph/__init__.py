"""What is drawn, as frozen data. Imports only errors, text and limits. Start reading in `model.py`."""
