"""Navigation, settings beside the page, title, banners and style."""
