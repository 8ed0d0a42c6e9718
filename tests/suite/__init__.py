"""Checking, linting and generating vectors."""
