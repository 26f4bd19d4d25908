"""Routes for other programs, and the pages that connect them."""
