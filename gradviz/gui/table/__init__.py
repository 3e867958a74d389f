"""The table: all numbers of an array, however large."""
