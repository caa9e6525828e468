"""A deployed stage on this machine: ministack, with what it does otherwise than AWS put right.

ministack has an environment of its own (it pins its own boto3). `launch`, `repairs`, `machines`
and `interpreter` run in there and import nothing of this project but `local.evaluator`,
`local.parsing`, `local.jsonata_repairs` and `protocol`; `server` starts it from outside.
"""
