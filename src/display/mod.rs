//! What people see: the web page and its server.
