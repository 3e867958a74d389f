"""The panels around the canvas. Each observes `Document` and `Player` and tells what was asked for by signals."""
