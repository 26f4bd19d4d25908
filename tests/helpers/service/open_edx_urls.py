"""The addresses of open_edx.py, with the namespace that the library expects."""

from django.urls import include, path

urlpatterns = [path("", include("lti_consumer.plugin.urls"))]
