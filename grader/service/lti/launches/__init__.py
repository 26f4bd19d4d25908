"""Login and launch, deep linking, and the registration of a platform."""
