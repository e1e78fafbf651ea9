"""One stack is one cluster: its config says what the cluster should be."""

import pulumi

from cluster.stack import REFUSALS, exports

try:
    for name, value in exports().items():
        pulumi.export(name, value)
except REFUSALS as refusal:
    # What is wrong is said in full; where the program found it out helps nobody.
    raise pulumi.RunError(str(refusal)) from None
