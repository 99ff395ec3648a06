module example.org/made

go 1.27

require github.com/goreactor/reactor v0.0.0

replace github.com/goreactor/reactor => ../../../..
