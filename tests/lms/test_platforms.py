"""platforms.py: the registry of learning platforms agrees with the instructors' guide."""

from project import ROOT

from grader.lms.platforms import PLATFORMS


def test_every_platform_stands_in_the_guide():
    """The guide mentions each platform, the option for its file, the copy that a batch writes, and the feedback."""
    guide = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    for platform in PLATFORMS:
        assert platform.name in guide
        if platform.grades is not None:
            option = platform.grades.option.replace("_", "-")
            assert f"`--{option}`" in guide
            assert f"`{option}.csv`" in guide
        if platform.feedback is not None:
            assert f"`{platform.feedback.name}`" in guide


def test_options_of_platforms_bear_their_names():
    """The options of a platform start with its name, so that no two platforms share an option."""
    for platform in PLATFORMS:
        if platform.grades is not None:
            for option in (platform.grades.option, *platform.grades.columns):
                assert option.startswith(f"{platform.name.casefold()}_")
