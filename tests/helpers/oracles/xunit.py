"""The schema of the JUnit files that learning platforms read."""

import xmlschema
from project import ROOT

XUNIT = xmlschema.XMLSchema(str(ROOT / "tests" / "schemas" / "xunit.xsd"))
