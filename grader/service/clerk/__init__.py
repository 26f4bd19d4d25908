"""A clerk makes one file about the course from what is stored, and ends: paperwork.py says why it is a process.

__main__.py  the process       desk.py  the course as the batch's gradebook
papers.py    each file         archive.py  the zip of everything      workbook.py  a spreadsheet
"""
