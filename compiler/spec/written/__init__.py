"""The language as it may be written: pydantic models, one a mapping, in all its spellings.

They check a mapping key by key and are where the JSON Schema for editors comes from; the decoder
turns them into `compiler.spec.model`.
"""
