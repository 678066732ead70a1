"""Edge: functions as tools, and running them within their time."""
