"""Files about the course. A separate process makes each file and ends; jobs.py says why.

__main__.py  the process       gradebook.py  the course as the batch's gradebook
files.py     each file         archive.py    the zip of everything that counts         xlsx.py  a spreadsheet
"""
