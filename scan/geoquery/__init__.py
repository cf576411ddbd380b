"""Geoquery."""
