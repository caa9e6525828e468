"""Names of the environment variables by which a deployment tells the functions where things are."""

from __future__ import annotations

ACTION = "STEPSMITH_ACTION"
"""The action that a function carries out."""
RESULTS_TABLE = "STEPSMITH_RESULTS_TABLE"
LATCHES_TABLE = "STEPSMITH_LATCHES_TABLE"
BUCKET = "STEPSMITH_BUCKET"
"""Where large outputs, artifacts and sources of runs are kept."""
STAGE = "STEPSMITH_STAGE"

# What a script finds in its environment beside its own `env`.
RUN_ID = "STEPSMITH_RUN_ID"
STEP_ID = "STEPSMITH_STEP_ID"
ATTEMPT = "STEPSMITH_ATTEMPT"
OUTPUT_FILE = "GITHUB_OUTPUT"
"""The file a script writes its outputs to, under the name people know from GitHub Actions."""
